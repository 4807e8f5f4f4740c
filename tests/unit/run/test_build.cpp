// run_build with the real Ninja and the real launcher; compilers are small shell scripts.
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "unit/run/workshop.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

TEST_CASE("a build runs what is not up to date, and tells of each step", "[build]") {
  Workshop shop;
  shop.add("a.o", "echo a >\"$1\"");
  shop.add("b.o", "echo b >\"$1\"");
  shop.add("ab.so", "cat \"$2\" \"$3\" >\"$1\"", {"a.o", "b.o"});
  BuildOutcome outcome = shop.build();
  CHECK(outcome.ok);
  CHECK_FALSE(outcome.nothing_to_do);
  CHECK(outcome.steps_run == 3);
  CHECK(outcome.failures.empty());
  CHECK(outcome.ninja_message.empty());
  CHECK(shop.text("ab.so") == "a\nb\n");
  CHECK(shop.progress.started.size() == 3);
  REQUIRE(shop.progress.finished.size() == 3);
  CHECK(shop.progress.finished.back() == "make ab.so");
  CHECK(shop.progress.totals == std::vector<std::size_t>{3, 3, 3});
  CHECK(shop.progress.stopped);

  outcome = shop.build();
  CHECK(outcome.ok);
  CHECK(outcome.nothing_to_do);
  CHECK(outcome.steps_run == 0);
}

TEST_CASE("a changed command is run again, and no other", "[build]") {
  Workshop shop;
  shop.add("a.o", "echo a >\"$1\"");
  shop.add("b.o", "echo b >\"$1\"");
  REQUIRE(shop.build().ok);
  shop.plan.steps[0].environment["SOURCE_DATE_EPOCH"] = "7";
  CHECK(shop.build().steps_run == 1);
  CHECK(shop.progress.finished == std::vector<std::string>{"make a.o"});
}

TEST_CASE("O06: with force each step is run again, with a depfile or without, and once",
          "[build]") {
  Workshop shop;
  shop.add("a.o", "echo a >\"$1\"");
  shop.add("d.o", "echo d >\"$1\"; echo \"$1: part.h\" >\"$1.d\"").depfile = "d.o.d";
  shop.add("ad.so", "cat \"$2\" \"$3\" >\"$1\"", {"a.o", "d.o"});
  test::write_text(shop.folder / "part.h", "");
  REQUIRE(shop.build().steps_run == 3);
  REQUIRE(shop.build().nothing_to_do);
  shop.options.force = true;
  CHECK(shop.build().steps_run == 3);
  CHECK(shop.text("ad.so") == "a\nd\n");
  shop.options.force = false;
  CHECK(shop.build().nothing_to_do);
  // What the depfile says is known again.
  ::usleep(10'000);
  test::write_text(shop.folder / "part.h", "changed");
  CHECK(shop.build().steps_run == 2);
}

TEST_CASE("G10: of three steps one fails: it is told with its first error, log and command",
          "[build]") {
  Workshop shop;
  shop.add("a.o", "echo a >\"$1\"");
  shop.add("bad.o",
           "echo 'In file included from x.h:1,'; for i in 1 2 3 4 5 6 7 8 9; do echo "
           "\"bad.cu(3): error: number $i\" >&2; done; exit 2");
  shop.add("c.o", "echo c >\"$1\"");
  shop.options.keep_going = true;
  const BuildOutcome outcome = shop.build();
  CHECK_FALSE(outcome.ok);
  CHECK(outcome.steps_run == 2);
  CHECK(shop.has("a.o"));
  CHECK(shop.has("c.o"));
  REQUIRE(outcome.failures.size() == 1);
  const StepFailure& failure = outcome.failures.front();
  CHECK(failure.step == "bad.o");
  CHECK(failure.first_error == "bad.cu(3): error: number 1");
  CHECK(failure.cause == "exit status 2");
  CHECK(failure.log == (shop.folder / "logs/bad.o.log").string());
  CHECK_THAT(test::read_text(failure.log), Catch::Contains("number 9"));
  CHECK_THAT(failure.command, Catch::StartsWith("cd ") && Catch::Contains("/bin/sh -c"));
  CHECK(outcome.ninja_message.empty());
  CHECK(shop.progress.lines.empty());
}

TEST_CASE("without keep_going nothing new begins after a failure", "[build]") {
  Workshop shop;
  shop.options.jobs = 1;
  shop.add("a.o", "exit 1");
  for (const char* name : {"b.o", "c.o", "d.o"}) shop.add(name, "exit 1");
  CHECK(shop.build().failures.size() == 1);
  shop.options.keep_going = true;
  CHECK(shop.build().failures.size() == 4);
}

TEST_CASE("G01: a compiler that is killed by 9 is told as want of memory, with fewer jobs to try",
          "[build]") {
  Workshop shop;
  shop.options.jobs = 4;
  // All four run when one of them is killed.
  for (const char* name : {"a.o", "b.o", "c.o", "killed.o"}) {
    shop.add(name,
             "touch up-$1; until [ -e up-a.o ] && [ -e up-b.o ] && [ -e up-c.o ] && [ -e "
             "up-killed.o ]; do sleep 0.02; done; sleep 0.2; [ $1 = killed.o ] && kill -9 "
             "$$; sleep 0.3; echo x >\"$1\"");
  }
  const BuildOutcome outcome = shop.build();
  REQUIRE(outcome.failures.size() == 1);
  CHECK_THAT(
      outcome.failures.front().cause,
      Catch::StartsWith("killed by signal 9 (Killed): probably out of memory, of which it had ") &&
          Catch::EndsWith("4 steps ran at once, try -j 2"));
}

TEST_CASE("G01: a compiler driver whose part was killed is told so too", "[build]") {
  Workshop shop;
  shop.add("a.o", "echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1");
  const BuildOutcome outcome = shop.build();
  REQUIRE(outcome.failures.size() == 1);
  CHECK_THAT(outcome.failures.front().cause,
             Catch::StartsWith("exit status 1: probably out of memory") &&
                 Catch::EndsWith("no other step ran, so it needs a machine with more"));
}

TEST_CASE("what Ninja itself complains of is passed on: a missing source", "[build]") {
  Workshop shop;
  shop.add("a.o", "cp \"$2\" \"$1\"", {"nope.cpp"});
  const BuildOutcome outcome = shop.build();
  CHECK_FALSE(outcome.ok);
  CHECK(outcome.failures.empty());
  CHECK(outcome.ninja_message ==
        "error: 'nope.cpp', needed by 'a.o', missing and no known rule to make it");
}

TEST_CASE("what goes wrong before a step can tell of itself is passed on", "[build]") {
  Workshop shop;
  shop.add("a.o", "echo a >\"$1\"");
  shop.options.launcher = "/nowhere/dsbuild";
  const BuildOutcome outcome = shop.build();
  CHECK_FALSE(outcome.ok);
  CHECK_THAT(outcome.ninja_message, Catch::Contains("./step: not found"));
}

TEST_CASE("a ninja that can't be started is an error that names it", "[build]") {
  Workshop shop;
  shop.add("a.o", "echo a >\"$1\"");
  shop.options.ninja = "/nowhere/ninja";
  try {
    shop.build();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::no_toolchain);
    CHECK(error.where == "/nowhere/ninja");
  }
}

TEST_CASE("explanations and, with verbose, what good compilers say are shown", "[build]") {
  Workshop shop;
  shop.add("a.o", "echo 'a.cpp:1: warning: hm' >&2; echo a >\"$1\"");
  REQUIRE(shop.build().ok);
  CHECK(shop.progress.lines.empty());
  shop.options.verbose = true;
  shop.options.explain = true;
  fs::remove(shop.folder / "a.o");
  REQUIRE(shop.build().ok);
  CHECK_THAT(join(shop.progress.lines, "\n"),
             Catch::Contains("ninja explain: output a.o doesn't exist") &&
                 Catch::Contains("a.cpp:1: warning: hm"));
}

TEST_CASE("P04: exactly the dependants of a header that changed are compiled again", "[build]") {
  const auto cxx = test::find_tool({"g++"});
  if (!cxx) {
    WARN("skipped: no g++ on this machine");
    return;
  }
  // Odd names, because Ninja must find the header again by what the depfile says.
  const std::string odd = GENERATE("src", "o'neil & sons");
  Workshop shop;
  const fs::path source = shop.temp / odd;
  test::write_text(source / "a.h", "#define A 1\n");
  test::write_text(source / "b.h", "#define B 1\n");
  test::write_text(source / "a.cpp", "#include \"a.h\"\nint a = A;\n");
  test::write_text(source / "b.cpp", "#include \"b.h\"\nint b = B;\n");
  for (const std::string name : {"a", "b"}) {
    plan::Step& step = shop.add(name + ".o", "");
    step.argv = {*cxx, "-MD",      "-MF", name + ".d", "-c", (source / (name + ".cpp")).string(),
                 "-o", name + ".o"};
    step.depfile = name + ".d";
  }
  REQUIRE(shop.build().steps_run == 2);
  CHECK(shop.build().nothing_to_do);
  ::usleep(10'000);
  test::write_text(source / "a.h", "#define A 2\n");
  CHECK(shop.build().steps_run == 1);
  CHECK(shop.progress.finished == std::vector<std::string>{"make a.o"});
  CHECK(shop.build().nothing_to_do);
}

/// Runs `body` in a child with a mount namespace of its own, where `folder` is a new file system.
/// The child's exit code, or nothing where this user may not mount.
std::optional<int> with_mount(const fs::path& folder, unsigned long flags, const char* options,
                              const std::function<int()>& body) {
  constexpr int kNotAllowed = 99;
  fs::create_directories(folder);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const bool allowed = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("tmpfs", folder.c_str(), "tmpfs", flags, options) == 0;
    ::_exit(allowed ? body() : kNotAllowed);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotAllowed) return std::nullopt;
  return WEXITSTATUS(status);
}

TEST_CASE("H13: a build folder that is mounted noexec builds", "[build]") {
  Workshop shop;
  shop.add("a.o", "echo a >\"$1\"");
  const auto code = with_mount(shop.folder, MS_NOEXEC, "", [&] { return shop.build().ok ? 0 : 1; });
  if (!code) {
    WARN("skipped: this user may not mount");
    return;
  }
  CHECK(*code == 0);
}

TEST_CASE("a full disk is told as such, whoever meets it", "[build]") {
  Workshop shop;
  SECTION("the compiler") {
    shop.add("a.o", "head -c 1000000 /dev/zero >\"$1\"");
  }
  SECTION("the compiler, where there is no room for its message either") {
    shop.add("a.o", "head -c 1000000 /dev/zero >filler 2>/dev/null; echo x >\"$1\"");
  }
  const auto code = with_mount(shop.folder, 0, "size=64k", [&] {
    const BuildOutcome outcome = shop.build();
    return outcome.ok ? 1 : outcome.no_space ? 0 : 2;
  });
  if (!code) {
    WARN("skipped: this user may not mount");
    return;
  }
  CHECK(*code == 0);
}

}  // namespace
}  // namespace dsbuild::run
