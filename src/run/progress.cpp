#include "run/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/text.h"

namespace dsbuild::run {
namespace {

/// A log that says nothing for so long looks as if the build hung.
constexpr double kLongSilence = 30;
constexpr double kRedrawEvery = 0.1;
constexpr int kDefaultWidth = 80;

void print(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n <= 0) return;  // nobody reads: no reason to stop a build
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

/// What both kinds count.
class Counting : public Progress {
 public:
  Counting(int fd, SecondsClock clock) : fd_(fd), clock_(std::move(clock)) {}

  void start(std::size_t total_steps) override {
    total_ = total_steps;
    done_ = 0;
    running_.clear();
    started_ = clock_();
  }
  void set_total(std::size_t total_steps) override { total_ = total_steps; }
  void step_started(std::string_view what) override {
    running_.push_back({std::string(what), clock_()});
  }
  void step_finished(std::string_view what, double, bool) override {
    const auto step = std::find_if(running_.begin(), running_.end(),
                                   [&](const Running& r) { return r.what == what; });
    if (step != running_.end()) running_.erase(step);
    ++done_;
  }

 protected:
  struct Running {
    std::string what;
    double since;
  };

  std::string count() const {
    return total_ == 0 ? fmt::format("[{}]", done_) : fmt::format("[{}/{}]", done_, total_);
  }
  std::string finished_line(std::string_view what, double seconds, bool ok) const {
    return fmt::format("{} {} {}{}", count(), format_duration(seconds), ok ? "" : "FAILED ", what);
  }
  /// "cubin transformer sm_90 (35 s) and 2 more"; in the order of starting the first is the oldest.
  std::string oldest() const {
    const Running& step = running_.front();
    std::string text = fmt::format("{} ({})", step.what, format_duration(clock_() - step.since));
    if (running_.size() > 1) text += fmt::format(" and {} more", running_.size() - 1);
    return text;
  }

  int fd_;
  SecondsClock clock_;
  std::size_t total_ = 0;
  std::size_t done_ = 0;
  double started_ = 0;
  std::vector<Running> running_;
};

class PlainProgress final : public Counting {
 public:
  using Counting::Counting;

  void start(std::size_t total_steps) override {
    Counting::start(total_steps);
    spoken_ = clock_();
  }
  void step_finished(std::string_view what, double seconds, bool ok) override {
    Counting::step_finished(what, seconds, ok);
    line(finished_line(what, seconds, ok));
  }
  void tick() override {
    if (!running_.empty() && clock_() - spoken_ > kLongSilence) {
      line(fmt::format("{} still running: {}", count(), oldest()));
    }
  }
  void line(std::string_view text) override {
    print(fd_, fmt::format("{}\n", text));
    spoken_ = clock_();
  }
  void stop() override {}

 private:
  double spoken_ = 0;
};

/// At most `width` columns of UTF-8 text, a column per character (names of ops and archs have no
/// wider ones).
std::string cut(std::string text, std::size_t width) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && columns++ == width) {
      text.resize(i);
      break;
    }
  }
  return text;
}

class TerminalProgress final : public Counting {
 public:
  using Counting::Counting;
  ~TerminalProgress() override { erase(); }

  void step_started(std::string_view what) override {
    Counting::step_started(what);
    tick();
  }
  void step_finished(std::string_view what, double seconds, bool ok) override {
    Counting::step_finished(what, seconds, ok);
    if (!ok) line(finished_line(what, seconds, ok));
    tick();
  }
  void tick() override {
    const double now = clock_();
    if (running_.empty() || (drawn_ && now - drawn_at_ < kRedrawEvery)) return;
    drawn_at_ = now;
    draw();
  }
  void line(std::string_view text) override {
    erase();
    print(fd_, fmt::format("{}\n", text));
    if (!running_.empty()) draw();
  }
  void stop() override { erase(); }

 private:
  static constexpr std::string_view kErase = "\r\x1b[K";  // to the line's begin, clear to its end

  void draw() {
    std::string text =
        fmt::format("{} {}, {}", count(), format_duration(clock_() - started_), oldest());
    // The last column stays empty: writing to it makes some terminals wrap.
    print(fd_, std::string(kErase) + cut(std::move(text), width() - 1));
    drawn_ = true;
  }
  void erase() {
    if (drawn_) print(fd_, kErase);
    drawn_ = false;
  }
  std::size_t width() const {
    winsize size{};
    const bool known = ::ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known ? size.ws_col : kDefaultWidth;
  }

  bool drawn_ = false;
  double drawn_at_ = 0;
};

class QuietProgress final : public Progress {
 public:
  void start(std::size_t) override {}
  void set_total(std::size_t) override {}
  void step_started(std::string_view) override {}
  void step_finished(std::string_view, double, bool) override {}
  void tick() override {}
  void line(std::string_view) override {}
  void stop() override {}
};

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::unique_ptr<Progress> make_plain_progress(int fd, SecondsClock clock) {
  return std::make_unique<PlainProgress>(fd, std::move(clock));
}

std::unique_ptr<Progress> make_terminal_progress(int fd, SecondsClock clock) {
  return std::make_unique<TerminalProgress>(fd, std::move(clock));
}

std::unique_ptr<Progress> make_quiet_progress() {
  return std::make_unique<QuietProgress>();
}

}  // namespace dsbuild::run
