#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "run/progress.h"
#include "support/temp_folder.h"

namespace dsbuild::run {
namespace {

double g_now = 0;
double now() {
  return g_now;
}

/// What is written to the other end of a pipe or terminal so far.
std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  for (ssize_t n; (n = ::read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

TEST_CASE("plain progress is one line per finished step, with no control codes", "[progress]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  g_now = 100;
  const auto progress = make_plain_progress(ends[1], now);
  progress->start(0);
  progress->step_started("cubin a sm_90");
  progress->step_started("cubin a sm_100");
  progress->set_total(12);
  progress->step_finished("cubin a sm_100", 1.23, true);
  progress->step_finished("cubin a sm_90", 0.5, false);
  progress->line("a note");
  progress->tick();
  progress->stop();
  CHECK(read_all(ends[0]) ==
        "[1/12] 1.2 s cubin a sm_100\n[2/12] 0.5 s FAILED cubin a sm_90\na note\n");
}

TEST_CASE("after 30 s of silence plain progress says what runs", "[progress]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  g_now = 0;
  const auto progress = make_plain_progress(ends[1], now);
  progress->start(3);
  progress->step_started("slow");
  progress->step_started("slower");
  for (g_now = 1; g_now <= 30; ++g_now) progress->tick();
  CHECK(read_all(ends[0]).empty());
  progress->tick();
  CHECK(read_all(ends[0]) == "[0/3] still running: slow (31 s) and 1 more\n");
  g_now = 60;
  progress->tick();
  CHECK(read_all(ends[0]).empty());
  g_now = 62;
  progress->tick();
  CHECK(read_all(ends[0]) == "[0/3] still running: slow (1:02) and 1 more\n");
  progress->step_finished("slow", 62, true);
  progress->step_finished("slower", 62, true);
  read_all(ends[0]);
  g_now = 200;
  progress->tick();
  CHECK(read_all(ends[0]).empty());
}

/// A terminal of a given width and what is written to it.
struct Terminal {
  explicit Terminal(unsigned short columns) {
    master = ::posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(master >= 0);
    REQUIRE(::grantpt(master) == 0);
    REQUIRE(::unlockpt(master) == 0);
    slave = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
    REQUIRE(slave >= 0);
    const winsize size{24, columns, 0, 0};
    REQUIRE(::ioctl(slave, TIOCSWINSZ, &size) == 0);
  }
  ~Terminal() {
    ::close(slave);
    ::close(master);
  }
  std::string text() const { return read_all(master); }

  int master = -1;
  int slave = -1;
};

/// What a terminal shows after the text: its lines, the last one being where the cursor is.
/// Knows the two codes that are used.
std::vector<std::string> shown(const std::string& text) {
  std::vector<std::string> lines{""};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 4, "\r\x1b[K") == 0) {
      lines.back().clear();
      i += 3;
    } else if (text[i] == '\n') {
      lines.emplace_back();
    } else if (text[i] != '\r') {
      lines.back() += text[i];
    }
  }
  return lines;
}

TEST_CASE("terminal progress shows done, total, time, the oldest step and how many more",
          "[progress]") {
  const Terminal terminal(80);
  g_now = 0;
  const auto progress = make_terminal_progress(terminal.slave, now);
  progress->start(40);
  progress->step_started("cubin a sm_90");
  g_now = 5;
  progress->step_started("cubin a sm_100");
  progress->step_started("cubin a sm_120");
  g_now = 12;
  progress->step_finished("cubin a sm_100", 7, true);
  CHECK(shown(terminal.text()) ==
        std::vector<std::string>{"[1/40] 12 s, cubin a sm_90 (12 s) and 1 more"});
  progress->stop();
  CHECK(shown(terminal.text()) == std::vector<std::string>{""});
}

TEST_CASE("no line is ever as wide as the terminal, whatever its width", "[progress]") {
  for (const unsigned short columns : {2, 10, 20, 33}) {
    const Terminal terminal(columns);
    g_now = 0;
    const auto progress = make_terminal_progress(terminal.slave, now);
    progress->start(100);
    progress->step_started("cubin größe_des_kerns sm_90a with a long name");
    g_now = 1;
    progress->tick();
    const std::string line = shown(terminal.text()).back();
    INFO(line);
    std::size_t width = 0;
    for (const char c : line) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    CHECK(width == columns - 1u);
  }
}

TEST_CASE("lines that stay and failures are not broken by the drawn line", "[progress]") {
  const Terminal terminal(60);
  g_now = 0;
  const auto progress = make_terminal_progress(terminal.slave, now);
  progress->start(2);
  progress->step_started("one");
  progress->step_started("two");
  progress->line("a note");
  g_now = 3;
  progress->step_finished("one", 3, false);
  progress->step_finished("two", 3, true);
  progress->stop();
  CHECK(shown(terminal.text()) == std::vector<std::string>{"a note", "[1/2] 3.0 s FAILED one", ""});
}

TEST_CASE("a terminal is redrawn at most ten times a second", "[progress]") {
  const Terminal terminal(60);
  g_now = 0;
  const auto progress = make_terminal_progress(terminal.slave, now);
  progress->start(1);
  progress->step_started("one");
  terminal.text();
  for (int i = 0; i < 1000; ++i) {
    g_now += 0.001;
    progress->tick();
  }
  const std::string text = terminal.text();
  CHECK(std::count(text.begin(), text.end(), '\x1b') <= 10);
}

TEST_CASE("a reader that is gone stops no build", "[progress]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  ::signal(SIGPIPE, SIG_IGN);
  const auto progress = make_plain_progress(ends[1], now);
  progress->line("nobody hears this");
  ::signal(SIGPIPE, SIG_DFL);
  SUCCEED();
}

}  // namespace
}  // namespace dsbuild::run
