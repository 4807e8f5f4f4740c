// What a step launcher tells the build that started it: one line per event, through a pipe that
// Ninja and its shell hand down. Knows the line's form and the pipe; nothing of what is done with
// events.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace dsbuild::run {

/// The environment variable that holds the number of the pipe's end.
inline constexpr const char* kEventsVariable = "DSBUILD_EVENTS";

enum class StepState { started, done, failed, interrupted };

/// What the step cache had to do with a step.
enum class CacheUse {
  none,  ///< there is none, or the step's result can't be kept in it
  hit,   ///< its outputs are from there; no command was started
  miss,
};

struct Event {
  StepState state = StepState::started;
  std::string step;              ///< Step::id
  double seconds = 0;            ///< how long it ran
  std::int64_t peak_memory = 0;  ///< bytes of its largest process
  std::string cause = {};        ///< why it failed: "exit status 1"
  CacheUse cache = CacheUse::none;
  std::string remark = {};  ///< why its result could not be kept in the cache
  // Of what its compiler runs itself: how many results came from the cache, how many were made.
  int parts_taken = 0;
  int parts_made = 0;

  bool operator==(const Event&) const = default;
};

/// One line with its line end, short enough (PIPE_BUF) that the kernel writes it in one piece.
std::string render_event(const Event& event);
/// Empty for a line that is no event.
std::optional<Event> parse_event(std::string_view line);

/// The reading side. Its write end is inherited by every child process, which is the point.
class EventPipe {
 public:
  /// Throws Error(file_system) when there are no file descriptors left.
  EventPipe();
  ~EventPipe();
  EventPipe(const EventPipe&) = delete;
  EventPipe& operator=(const EventPipe&) = delete;

  int write_end() const { return write_end_; }
  /// Hands over the events that have come, without waiting.
  void drain(const std::function<void(const Event&)>& on_event);

 private:
  int read_end_ = -1;
  int write_end_ = -1;
  std::string rest_;  ///< the begin of a line whose end is still to come
};

}  // namespace dsbuild::run
