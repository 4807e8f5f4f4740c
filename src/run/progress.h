// What a person sees while steps run. Knows step names and times, not what they do.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace dsbuild::run {

/// Told of each event of a build; one thread calls it.
class Progress {
 public:
  virtual ~Progress() = default;
  /// A series of steps begins; 0: their number is not known yet.
  virtual void start(std::size_t total_steps) = 0;
  /// Their number is known now, or another one.
  virtual void set_total(std::size_t total_steps) = 0;
  virtual void step_started(std::string_view what) = 0;
  virtual void step_finished(std::string_view what, double seconds, bool ok) = 0;
  /// Called often while something runs; a terminal redraws.
  virtual void tick() = 0;
  /// A line that must stay, printed without breaking what is drawn.
  virtual void line(std::string_view text) = 0;
  virtual void stop() = 0;
};

/// Seconds since some fixed moment.
using SecondsClock = std::function<double()>;
double steady_seconds();

/// One line per finished step, for logs: "[3/12] 1.2 s cubin transformer sm_90"; after a long
/// silence a line that says what runs.
std::unique_ptr<Progress> make_plain_progress(int fd, SecondsClock clock = steady_seconds);
/// One line that is redrawn: done/total, what has run longest and for how long. For terminals.
std::unique_ptr<Progress> make_terminal_progress(int fd, SecondsClock clock = steady_seconds);
/// Says nothing.
std::unique_ptr<Progress> make_quiet_progress();

}  // namespace dsbuild::run
