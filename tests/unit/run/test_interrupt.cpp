// Builds that are interrupted or killed: what is half made never counts.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "support/interrupts.h"
#include "unit/run/workshop.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

/// Living processes of the machine: id -> parent's id.
std::map<pid_t, pid_t> parents() {
  std::map<pid_t, pid_t> table;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string text;
    try {
      text = test::read_text(entry.path() / "stat");
    } catch (const std::ios_base::failure&) {  // it ended meanwhile
      continue;
    }
    const auto end = text.rfind(')');  // the name may hold anything
    if (end == std::string::npos) continue;
    const auto words = split(text.substr(end + 1), " ");
    if (words.size() > 1 && words[0] != "Z") table[std::stoi(name)] = std::stoi(words[1]);
  }
  return table;
}

std::vector<pid_t> descendants(pid_t ancestor) {
  const auto table = parents();
  std::vector<pid_t> found{ancestor};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const auto& [pid, parent] : table) {
      if (parent == found[i]) found.push_back(pid);
    }
  }
  return found;
}

/// A step that writes the first half of its output, waits while the file `slow` is there, then
/// writes the rest. It is the same command every time.
void add_slow_step(Workshop& shop) {
  shop.add("a.o", "echo half >\"$1\"; [ -e slow ] && sleep 60; echo whole >>\"$1\"");
}

/// Starts the build in a child and returns when the half output is there.
pid_t start_slow_build(Workshop& shop) {
  test::write_text(shop.folder / "slow", "");
  const pid_t pid = ::fork();
  if (pid == 0) {
    const test::DefaultSignals defaults;
    const InterruptWatch watch;
    ::_exit(static_cast<int>(test::code_of([&] { shop.build(); }).value_or(ExitCode::ok)));
  }
  for (int i = 0; i < 1000 && shop.text("a.o") != "half\n"; ++i) ::usleep(10'000);
  REQUIRE(shop.text("a.o") == "half\n");
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return status;
}

bool gone_soon(const std::vector<pid_t>& pids) {
  for (int i = 0; i < 500; ++i) {
    bool any = false;
    for (const pid_t pid : pids) any = any || parents().count(pid) != 0;
    if (!any) return true;
    ::usleep(10'000);
  }
  return false;
}

void check_next_build(Workshop& shop) {
  fs::remove(shop.folder / "slow");
  const BuildOutcome outcome = shop.build();
  CHECK(outcome.ok);
  CHECK(outcome.steps_run == 1);
  CHECK(shop.text("a.o") == "half\nwhole\n");
  CHECK(shop.build().nothing_to_do);
}

TEST_CASE("SIGINT ends the compilers, is told as interrupted, and the next build is right",
          "[interrupt]") {
  Workshop shop;
  add_slow_step(shop);
  const pid_t pid = start_slow_build(shop);
  const auto family = descendants(pid);
  CHECK(family.size() >= 4);  // the build, Ninja, the launcher, the compiler
  ::kill(pid, SIGINT);
  const int status = wait_for(pid);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(gone_soon(family));
  CHECK_FALSE(shop.has("a.o"));
  CHECK(fs::is_empty(shop.folder / "running"));
  check_next_build(shop);
}

TEST_CASE("P03: after kill -9 of everything in mid-compile the next build is right",
          "[interrupt]") {
  Workshop shop;
  add_slow_step(shop);
  SECTION("the first time") {}
  SECTION("when the output was made before and had to be made anew because it was gone") {
    // Ninja alone would take the half file for whole: its log knows the command, and the time is
    // new.
    REQUIRE(shop.build().ok);
    fs::remove(shop.folder / "a.o");
  }
  const pid_t pid = start_slow_build(shop);
  auto family = descendants(pid);
  // Stopped first, so that none sees another one die and cleans up; and children before their
  // parents, because a stopped process group that loses its parent is woken (SIGHUP, SIGCONT).
  for (const pid_t one : family) ::kill(one, SIGSTOP);
  std::reverse(family.begin(), family.end());
  for (const pid_t one : family) ::kill(one, SIGKILL);
  wait_for(pid);
  CHECK(gone_soon(family));
  CHECK(shop.text("a.o") == "half\n");
  check_next_build(shop);
}

TEST_CASE("P03: after kill -9 of the build alone its compilers end, and the next build is right",
          "[interrupt]") {
  Workshop shop;
  add_slow_step(shop);
  const pid_t pid = start_slow_build(shop);
  const auto family = descendants(pid);
  ::kill(pid, SIGKILL);
  wait_for(pid);
  check_next_build(shop);
  CHECK(gone_soon(family));
}

TEST_CASE("a second SIGINT does not wait for a compiler that ignores the first", "[interrupt]") {
  Workshop shop;
  shop.add("a.o",
           "trap '' INT TERM; echo half >\"$1\"; [ -e slow ] && sleep 60 & wait; wait; sleep 60");
  const pid_t pid = start_slow_build(shop);
  const auto family = descendants(pid);
  ::kill(pid, SIGINT);
  ::usleep(200'000);
  ::kill(pid, SIGINT);
  const auto started = steady_seconds();
  wait_for(pid);
  CHECK(steady_seconds() - started < 2);
  CHECK(gone_soon(family));
}

}  // namespace
}  // namespace dsbuild::run
