#include "base/process.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "support/interrupts.h"
#include "support/temp_folder.h"

using namespace dsbuild;
using dsbuild::test::code_of;
using dsbuild::test::InterruptSoon;
using dsbuild::test::read_text;
using dsbuild::test::TempFolder;
using dsbuild::test::write_text;

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Command shell(const std::string& script) {
  Command command;
  command.argv = {"/bin/sh", "-c", script};
  command.environment = {{"PATH", "/usr/bin:/bin"}};
  return command;
}

ProcessResult run(const Command& command) {
  return PosixProcessRunner().run(command);
}

double seconds_of(const std::function<void()>& action) {
  const auto start = Clock::now();
  action();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

TEST_CASE("both streams and the exit code come back", "[process]") {
  const ProcessResult result = run(shell("echo out; echo err >&2; exit 3"));
  CHECK(result.out == "out\n");
  CHECK(result.err == "err\n");
  CHECK(result.exit_code == 3);
  CHECK_FALSE(result.ok());
  CHECK(result.describe() == "exit status 3");
  CHECK(run(shell("true")).ok());
}

TEST_CASE("arguments arrive as they are, through no shell", "[process]") {
  Command command;
  command.argv = {"/usr/bin/printf", "[%s]", "a b", "$HOME", "q'uote", "", "*", "new\nline"};
  CHECK(run(command).out == "[a b][$HOME][q'uote][][*][new\nline]");
}

TEST_CASE("the child has exactly the environment that is given", "[process]") {
  ::setenv("DSBUILD_TEST_LEAK", "1", 1);
  Command command;
  command.argv = {"/usr/bin/env"};
  command.environment = {{"A", "1"}, {"B", "x=y z"}};
  CHECK(run(command).out == "A=1\nB=x=y z\n");
  command.environment.clear();
  CHECK(run(command).out.empty());
  ::unsetenv("DSBUILD_TEST_LEAK");
}

TEST_CASE("the child runs in the folder, with nothing on its input", "[process]") {
  TempFolder folder;
  Command command = shell("pwd; cat");
  command.folder = folder.path;
  CHECK(run(command).out == folder.path.string() + "\n");
  command.folder = folder / "none";
  CHECK_FALSE(run(command).failure.empty());
}

TEST_CASE("what can't be started says why", "[process]") {
  TempFolder folder;
  Command command;
  command.argv = {(folder / "none").string()};
  CHECK(run(command).failure == "No such file or directory");
  write_text(folder / "plain", "#!/bin/sh\n");
  command.argv = {(folder / "plain").string()};
  CHECK(run(command).failure == "Permission denied");
  CHECK(run(command).describe() == "Permission denied");
  CHECK_FALSE(run(command).ok());
}

TEST_CASE("a child that a signal ended says which", "[process]") {
  const ProcessResult result = run(shell("kill -9 $$"));
  CHECK(result.signal == 9);
  CHECK_FALSE(result.ok());
  CHECK(result.describe() == "killed by signal 9 (Killed)");
}

TEST_CASE("a child and its children are killed when the time is over", "[process]") {
  TempFolder folder;
  Command command = shell("trap '' TERM; (sleep 1; echo alive >alive) & sleep 60");
  command.folder = folder.path;
  command.limit = milliseconds(200);
  ProcessResult result;
  CHECK(seconds_of([&] { result = run(command); }) < 10);
  CHECK(result.timed_out);
  CHECK_FALSE(result.ok());
  CHECK(result.describe() == "no answer within its time limit");
  std::this_thread::sleep_for(milliseconds(1500));
  CHECK_FALSE(std::filesystem::exists(folder / "alive"));
}

TEST_CASE("output beyond the limit is read and dropped", "[process]") {
  Command command = shell(
      "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678; i=$((i+1)); done; "
      "echo done >&2");
  command.output_limit = 1000;
  const ProcessResult result = run(command);
  CHECK(result.ok());
  CHECK(result.out.size() == 1000);
  CHECK(result.err == "done\n");
}

TEST_CASE("much output on both streams doesn't block", "[process]") {
  const ProcessResult result =
      run(shell("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2"));
  CHECK(result.ok());
  CHECK(result.out.size() == 1'000'000);
  CHECK(result.err.size() == 1'000'000);
}

TEST_CASE("what a grandchild left behind holds isn't waited for", "[process]") {
  ProcessResult result;
  CHECK(seconds_of([&] { result = run(shell("echo said; sleep 20 & exit 0")); }) < 10);
  CHECK(result.ok());
  CHECK(result.out == "said\n");
}

TEST_CASE("children are waited for even where the caller ignores SIGCHLD", "[process]") {
  // In a process of its own: the disposition is the whole process's.
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGCHLD, SIG_IGN);
    const ProcessResult result = PosixProcessRunner().run(shell("exit 7"));
    ::_exit(result.exit_code == 7 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("many processes at once each get their own answer", "[process]") {
  std::vector<std::jthread> threads;
  std::vector<std::string> outs(8);
  for (std::size_t i = 0; i < outs.size(); ++i) {
    threads.emplace_back([&outs, i] {
      for (int n = 0; n < 5; ++n) outs[i] += run(shell("echo " + std::to_string(i))).out;
    });
  }
  threads.clear();
  for (std::size_t i = 0; i < outs.size(); ++i) {
    const std::string line = std::to_string(i) + "\n";
    CHECK(outs[i] == line + line + line + line + line);
  }
}

TEST_CASE("a stream is handed on as it comes, both of them in order", "[process]") {
  std::string seen;
  int ticks = 0;
  bool early = false;
  const ProcessResult result = run_streaming(
      shell("echo one; echo two >&2; sleep 0.3; echo three"),
      [&](std::string_view piece) {
        seen += piece;
        early = early || seen == "one\ntwo\n" || seen == "one\n";
      },
      [&] { ++ticks; });
  CHECK(result.ok());
  CHECK(seen == "one\ntwo\nthree\n");
  CHECK(early);
  CHECK(ticks >= 3);
}

TEST_CASE("the end of a stream is noticed at once", "[process]") {
  double best = 1;
  for (int i = 0; i < 10; ++i) {
    best = std::min(best, seconds_of([] {
                      run_streaming(
                          shell("exec >&- 2>&-; sleep 0.01"), [](std::string_view) {}, [] {});
                    }));
  }
  CHECK(best < 0.045);  // not the tick of 50 ms
}

TEST_CASE("a first interrupt is passed on to a stream, a second one kills", "[process]") {
  TempFolder folder;
  const auto stream = [&](const std::string& script) {
    Command command = shell(script);
    command.folder = folder.path;
    return code_of([&] {
      run_streaming(
          command, [](std::string_view) {}, [] {});
    });
  };
  SECTION("it may do what it has to do") {
    const InterruptSoon soon(milliseconds(200));
    CHECK(stream("trap 'sleep 0.5; echo told >told; exit 9' INT; sleep 20 & wait") ==
          ExitCode::interrupted);
    CHECK(read_text(folder / "told") == "told\n");
  }
  SECTION("it may not listen") {
    const InterruptSoon soon(milliseconds(200), 2);
    CHECK(seconds_of([&] { CHECK(stream("trap '' INT; sleep 20") == ExitCode::interrupted); }) <
          10);
  }
}

TEST_CASE("an interrupt ends a process and its children, a second one kills", "[process]") {
  TempFolder folder;
  const auto ended = [&](const std::string& script) {
    Command command = shell(script);
    command.folder = folder.path;
    command.limit = std::chrono::minutes(1);
    return code_of([&] { run(command); });
  };
  SECTION("compilers can remove their temporary files") {
    const InterruptSoon soon(milliseconds(200));
    CHECK(ended("trap 'echo told >told; exit 9' TERM; (sleep 1; echo alive >alive) & wait") ==
          ExitCode::interrupted);
    CHECK(read_text(folder / "told") == "told\n");
    std::this_thread::sleep_for(milliseconds(1500));
    CHECK_FALSE(std::filesystem::exists(folder / "alive"));
  }
  SECTION("who doesn't listen is killed a little later") {
    const InterruptSoon soon(milliseconds(100));
    CHECK(seconds_of([&] { CHECK(ended("trap '' TERM; sleep 20") == ExitCode::interrupted); }) <
          10);
  }
  SECTION("or at once") {
    const InterruptSoon soon(milliseconds(100), 2);
    CHECK(seconds_of([&] { CHECK(ended("trap '' TERM; sleep 20") == ExitCode::interrupted); }) <
          1.5);
  }
}

TEST_CASE("after an interrupt nothing is started any more", "[process]") {
  TempFolder folder;
  const test::DefaultSignals defaults;
  const InterruptWatch watch;
  ::raise(SIGTERM);
  Command command = shell("touch started");
  command.folder = folder.path;
  CHECK(code_of([&] { run(command); }) == ExitCode::interrupted);
  CHECK(code_of([&] {
          run_streaming(
              command, [](std::string_view) {}, [] {});
        }) == ExitCode::interrupted);
  CHECK_FALSE(std::filesystem::exists(folder / "started"));
}
