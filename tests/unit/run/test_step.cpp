// The launcher as Ninja starts it.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "run/events.h"
#include "run/log.h"
#include "unit/run/workshop.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

/// One step, run by the launcher without Ninja.
struct Bench {
  explicit Bench(const std::string& script) {
    step.id = "out/a.o";
    step.what = "make a.o";
    step.argv = {"/bin/sh", "-c", script, "sh", "out/a.o"};
    step.environment = {{"PATH", "/usr/bin:/bin"}};
    step.outputs = {"out/a.o"};
  }
  ProcessResult run() {
    test::write_text(temp / "steps/a.argv", plan::render_step_file(step));
    Command command;
    command.argv = {STEP_PROGRAM, "steps/a.argv"};
    command.environment = {{"NVCC_APPEND_FLAGS", "-lineinfo"}, {"HOME", "/root"}};
    if (events) command.environment[kEventsVariable] = std::to_string(events->write_end());
    command.folder = temp.path;
    return PosixProcessRunner().run(command);
  }
  std::vector<Event> told() {
    std::vector<Event> all;
    events->drain([&](const Event& event) { all.push_back(event); });
    return all;
  }
  bool made() const { return fs::exists(temp / "out/a.o"); }
  std::string log() const { return test::read_text(temp / "logs/out/a.o.log"); }

  test::TempFolder temp;
  plan::StepFile step;
  std::unique_ptr<EventPipe> events;
};

TEST_CASE("a command gets exactly its environment, no input, and no file of ours", "[step]") {
  Bench bench(
      "{ /usr/bin/env | grep -vE '^(PWD|SHLVL|_|OLDPWD)='; echo \"input: $(cat)\"; "
      "ls /proc/self/fd | tr '\\n' ' '; } >\"$1\"");
  bench.step.environment["SOURCE_DATE_EPOCH"] = "0";
  bench.events = std::make_unique<EventPipe>();
  REQUIRE(bench.run().exit_code == 0);
  // 0 to 2, and the folder that ls itself reads.
  CHECK(test::read_text(bench.temp / "out/a.o") ==
        "PATH=/usr/bin:/bin\nSOURCE_DATE_EPOCH=0\ninput: \n0 1 2 3 ");
}

TEST_CASE("a command begins with no signal blocked or ignored", "[step]") {
  Bench bench("grep -E 'Sig(Blk|Ign)' /proc/self/status | cut -f2 >\"$1\"");
  REQUIRE(bench.run().exit_code == 0);
  for (const std::string& mask : split_lines(test::read_text(bench.temp / "out/a.o"))) {
    // 32 and 33 are glibc's own; its posix_spawn leaves them ignored.
    CHECK((std::stoull(mask, nullptr, 16) & 0x7fffffff) == 0);
  }
}

TEST_CASE("arguments reach the command as they are: nothing is read by a shell", "[step]") {
  Bench bench("");
  bench.step.argv = {
      "/usr/bin/printf", "%s|", "a b", "$HOME", "*", "'", "\"", "\\", "", "ä\nb", "#x"};
  bench.step.outputs = {"logs/out/a.o.log"};  // what it prints goes to the log
  REQUIRE(bench.run().exit_code == 0);
  CHECK(read_log(bench.temp / "logs/out/a.o.log").output == "a b|$HOME|*|'|\"|\\||ä\nb|#x|");
}

TEST_CASE("a silent command leaves no log; what a good one says is kept in it, not shown",
          "[step]") {
  Bench silent("echo x >\"$1\"");
  ProcessResult result = silent.run();
  CHECK(result.exit_code == 0);
  CHECK_FALSE(fs::exists(silent.temp / "logs/out/a.o.log"));

  Bench warns("echo x >\"$1\"; echo 'a.cpp:1: warning: hm' >&2; echo more");
  result = warns.run();
  CHECK(result.exit_code == 0);
  CHECK(result.out + result.err == "");
  CHECK(read_log(warns.temp / "logs/out/a.o.log").output == "a.cpp:1: warning: hm\nmore\n");
  CHECK_THAT(warns.log(), Catch::StartsWith("$ cd ") && Catch::Contains("env -i PATH="));
}

TEST_CASE("the command in a log can be run again as it stands", "[step]") {
  Bench bench("echo \"$1 $WORD\" >\"$1\"; exit 3");
  bench.step.environment["WORD"] = "it's $5";
  bench.run();
  const LogText log = read_log(bench.temp / "logs/out/a.o.log");
  Command again;
  again.argv = {"/bin/sh", "-c", log.command};
  again.environment = {{"PATH", "/usr/bin:/bin"}};
  CHECK(PosixProcessRunner().run(again).exit_code == 3);
  CHECK(test::read_text(bench.temp / "out/a.o") == "out/a.o it's $5\n");
}

TEST_CASE("a failed command leaves its log with the cause, and no output", "[step]") {
  Bench bench("echo half >\"$1\"; echo 'a.cpp:1: error: no' >&2; exit 2");
  const ProcessResult result = bench.run();
  CHECK(result.exit_code == 1);
  CHECK_FALSE(bench.made());
  CHECK_THAT(bench.log(), Catch::EndsWith("a.cpp:1: error: no\ndsbuild: exit status 2\n"));
  // Without a build that listens, Ninja shows what the launcher prints.
  CHECK_THAT(result.out, Catch::Contains("make a.o: exit status 2") && Catch::Contains("log: "));
}

TEST_CASE("a command that can't be started is named", "[step]") {
  Bench bench("");
  bench.step.argv = {"/nowhere/nvcc"};
  CHECK(bench.run().exit_code == 1);
  CHECK_THAT(bench.log(),
             Catch::EndsWith("dsbuild: can't start /nowhere/nvcc: No such file or directory\n"));
}

TEST_CASE("a killed command is told with its signal", "[step]") {
  Bench bench("echo half >\"$1\"; kill -9 $$");
  CHECK(bench.run().exit_code == 1);
  CHECK_FALSE(bench.made());
  CHECK_THAT(bench.log(), Catch::EndsWith("dsbuild: killed by signal 9 (Killed)\n"));
}

TEST_CASE("an output without its kernel is removed and fails the step", "[step]") {
  Bench bench("printf '.version 8.0\\n.target sm_90\\n' >\"$1\"");
  bench.step.kernels = {"scale"};
  CHECK(bench.run().exit_code == 1);
  CHECK_FALSE(bench.made());
  CHECK_THAT(bench.log(), Catch::EndsWith("does not hold scale; it holds nothing\n"));
}

TEST_CASE("the build is told of the begin and the end, with time and memory", "[step]") {
  Bench bench("sleep 0.1; echo x >\"$1\"");
  bench.events = std::make_unique<EventPipe>();
  const ProcessResult result = bench.run();
  CHECK(result.exit_code == 0);
  CHECK(result.out + result.err == "");
  const auto events = bench.told();
  REQUIRE(events.size() == 2);
  CHECK(events[0] == Event{StepState::started, "out/a.o", 0, 0, ""});
  CHECK(events[1].state == StepState::done);
  CHECK(events[1].seconds >= 0.1);
  CHECK(events[1].seconds < 5);
  CHECK(events[1].peak_memory > 100'000);

  bench.step.argv[2] = "exit 4";
  CHECK(bench.run().exit_code == 1);
  const auto failed = bench.told();
  REQUIRE(failed.size() == 2);
  CHECK(failed[1].state == StepState::failed);
  CHECK(failed[1].cause == "exit status 4");
}

TEST_CASE("a step whose build is gone does not begin", "[step]") {
  Bench bench("echo x >\"$1\"");
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  bench.events.reset();
  test::write_text(bench.temp / "steps/a.argv", plan::render_step_file(bench.step));
  Command command;
  command.argv = {STEP_PROGRAM, "steps/a.argv"};
  command.environment = {{kEventsVariable, std::to_string(ends[1])}};
  command.folder = bench.temp.path;
  CHECK(PosixProcessRunner().run(command).exit_code == 1);
  CHECK_FALSE(fs::exists(bench.temp / "logs"));  // where each step begins
  ::close(ends[1]);
}

TEST_CASE("a running step ends, and its compiler with it, when its build goes", "[step]") {
  Bench bench("echo half >\"$1\"; sleep 60");
  test::write_text(bench.temp / "steps/a.argv", plan::render_step_file(bench.step));
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);  // as Ninja does for each step
    ::close(ends[0]);
    const int ignored = ::chdir(bench.temp.path.c_str());
    ::setenv(kEventsVariable, std::to_string(ends[1]).c_str(), 1);
    ::execl(STEP_PROGRAM, STEP_PROGRAM, "steps/a.argv", nullptr);
    ::_exit(127 + ignored);
  }
  ::close(ends[1]);
  for (int i = 0; i < 500 && !bench.made(); ++i) ::usleep(10'000);
  REQUIRE(bench.made());
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
  CHECK_FALSE(bench.made());
  // Nobody of its group is left, as soon as init has seen to the orphans.
  bool left = true;
  for (int i = 0; i < 300 && left; ++i) {
    left = ::kill(-pid, 0) == 0;
    if (left) ::usleep(10'000);
  }
  CHECK_FALSE(left);
  CHECK(fs::is_empty(bench.temp / "running"));
}

TEST_CASE("what is no step file is told with what to do", "[step]") {
  Bench bench("");
  bench.step.argv = {"/bin/true"};
  test::write_text(bench.temp / "steps/b.argv", "dsbuild-step 99");
  Command command;
  command.argv = {STEP_PROGRAM, "steps/b.argv"};
  command.folder = bench.temp.path;
  const ProcessResult result = PosixProcessRunner().run(command);
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::StartsWith("steps/b.argv: not a step file") &&
                             Catch::Contains("run `dsbuild build` again"));
}

}  // namespace
}  // namespace dsbuild::run
