#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "run/trials.h"
#include "support/interrupts.h"
#include "unit/run/workshop.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

struct Lab {
  plan::Trial& add(const std::string& key, const std::string& script) {
    plan::Trial trial;
    trial.key = key;
    trial.what = "canary " + key;
    trial.source_name = "canary.cu";
    trial.source = "the source\n";
    plan::Step step;
    step.id = "canary.o";
    step.what = trial.what;
    step.argv = {"/bin/sh", "-c", script, "sh", "{build}/canary.cu", "{build}/obj/canary.o"};
    step.environment = {{"PATH", "/usr/bin:/bin"}};
    step.outputs = {"{build}/obj/canary.o"};
    trial.steps = {step};
    plan.trials.push_back(std::move(trial));
    return plan.trials.back();
  }
  std::map<std::string, probe::TrialResult> run() {
    progress = RecordingProgress();
    return run_trials(plan, read_trial_results(plan, cache), cache, 2, progress);
  }

  test::TempFolder temp;
  fs::path cache = temp / "cache";
  plan::Plan plan;
  RecordingProgress progress;
};

TEST_CASE("trials run in folders of their own, which are gone afterwards", "[trials]") {
  Lab lab;
  lab.add("one", "cat \"$1\" >\"$2\"; pwd >>" + (lab.temp / "places").string());
  lab.add("two", "cat \"$1\" >\"$2\"; pwd >>" + (lab.temp / "places").string());
  const auto results = lab.run();
  CHECK(results ==
        std::map<std::string, probe::TrialResult>{{"one", {true, ""}}, {"two", {true, ""}}});
  CHECK(lab.progress.total == 2);
  CHECK(lab.progress.started.size() == 2);
  CHECK(lab.progress.finished.size() == 2);
  std::istringstream places(test::read_text(lab.temp / "places"));
  std::string first;
  std::string second;
  places >> first >> second;
  CHECK(first != second);
  CHECK_THAT(first, Catch::StartsWith(lab.cache.string()));
  CHECK_FALSE(fs::exists(first));
  CHECK_FALSE(fs::exists(second));
}

TEST_CASE("a good answer is remembered, a bad one is tried again", "[trials]") {
  Lab lab;
  lab.add("good", "echo run >>" + (lab.temp / "good").string() + "; echo x >\"$2\"");
  lab.add("bad", "echo run >>" + (lab.temp / "bad").string() + "; exit 1");
  CHECK(lab.run().size() == 2);
  CHECK(lab.run().size() == 2);
  CHECK(test::read_text(lab.temp / "good") == "run\n");
  CHECK(test::read_text(lab.temp / "bad") == "run\nrun\n");
  CHECK(read_trial_results(lab.plan, lab.cache).count("good") == 1);
  CHECK(read_trial_results(lab.plan, lab.cache).count("bad") == 0);
}

TEST_CASE("C03: the first error lines of a canary that fails are the answer", "[trials]") {
  Lab lab;
  lab.add("a",
          "echo 'std_function.h(435): error: parameter packs not expanded with ...' >&2; "
          "echo '        /usr/include/x.h' >&2; echo '1 error detected' >&2; exit 1");
  const auto results = lab.run();
  CHECK_FALSE(results.at("a").ok);
  CHECK(results.at("a").message ==
        "std_function.h(435): error: parameter packs not expanded with ...");
}

TEST_CASE("E01: of a trial that failed the command and all that the compiler said are kept",
          "[trials]") {
  Lab lab;
  lab.add("a",
          "echo 'In file included from a.cpp:1:' >&2; echo \"x.h:1: error: odd\" >&2; "
          "for i in 1 2 3 4 5; do echo \"y.h:$i: error: more\" >&2; done; echo 'y.h:6: note: last' "
          ">&2; exit 1");
  lab.add("b", "echo x >\"$2\"");
  const auto results = lab.run();
  const std::string& log = results.at("a").log;
  CHECK_THAT(log, Catch::StartsWith("/bin/sh -c "));
  CHECK_THAT(log, Catch::Contains("canary.cu"));
  CHECK_THAT(log, Catch::Contains("In file included from a.cpp:1:\nx.h:1: error: odd\n"));
  CHECK_THAT(log, Catch::EndsWith("y.h:5: error: more\ny.h:6: note: last\n"));
  CHECK_THAT(results.at("a").message, !Catch::Contains("note: last"));
  CHECK(results.at("b").log.empty());
}

TEST_CASE("without a cache folder a trial is run and not remembered, and leaves nothing here",
          "[trials]") {
  Lab lab;
  fs::create_directories(lab.temp / "here");
  const fs::path before = fs::current_path();
  fs::current_path(lab.temp / "here");
  lab.cache.clear();
  lab.add("one", "echo run >>" + (lab.temp / "runs").string() + "; echo x >\"$2\"");
  CHECK(lab.run().at("one").ok);
  CHECK(lab.run().at("one").ok);
  fs::current_path(before);
  CHECK(test::read_text(lab.temp / "runs") == "run\nrun\n");
  CHECK(fs::is_empty(lab.temp / "here"));
}

TEST_CASE("a canary that ends well without its kernel has failed", "[trials]") {
  Lab lab;
  plan::Step& step = lab.add("a", "printf '.version 8.0\\n.target sm_90\\n' >\"$2\"").steps[0];
  step.kernels = {"dsbuild_canary"};
  const auto results = lab.run();
  CHECK_FALSE(results.at("a").ok);
  CHECK_THAT(results.at("a").message, Catch::Contains("does not hold dsbuild_canary"));
}

TEST_CASE("a canary that says nothing or can't be started is told with how it ended", "[trials]") {
  Lab lab;
  lab.add("silent", "exit 3");
  lab.add("absent", "").steps[0].argv = {"/nowhere/nvcc"};
  const auto results = lab.run();
  CHECK(results.at("silent").message == "/bin/sh: exit status 3");
  CHECK(results.at("absent").message == "/nowhere/nvcc: No such file or directory");
}

TEST_CASE("the later steps of a trial see the earlier ones' files, and end with the first failure",
          "[trials]") {
  Lab lab;
  plan::Trial& trial = lab.add("a", "echo made >\"$2\"");
  plan::Step second = trial.steps[0];
  second.argv[2] = "cat obj/canary.o >\"$2.so\"";
  second.outputs = {"{build}/obj/canary.o.so"};
  trial.steps.push_back(second);
  CHECK(lab.run().at("a").ok);
  lab.plan.trials[0].key = "b";
  lab.plan.trials[0].steps[0].argv[2] = "exit 1";
  CHECK_FALSE(lab.run().at("b").ok);
}

TEST_CASE("H11: answers that vanish, are damaged or belong to another key are simply not there",
          "[trials]") {
  Lab lab;
  lab.add("one", "echo run >>" + (lab.temp / "runs").string() + "; echo x >\"$2\"");
  REQUIRE(lab.run().at("one").ok);
  const fs::path answer = lab.cache / "trials" / (sha256("one") + ".json");
  REQUIRE(fs::exists(answer));
  for (const char* damaged :
       {"", "{", "[]", "{\"key\": \"two\", \"ok\": true}", "{\"key\": 7, \"ok\": 1}"}) {
    test::write_text(answer, damaged);
    INFO(damaged);
    CHECK(read_trial_results(lab.plan, lab.cache).empty());
  }
  fs::remove(answer);
  REQUIRE(lab.run().at("one").ok);
  CHECK(test::read_text(lab.temp / "runs") == "run\nrun\n");
}

TEST_CASE("known answers are not tried again", "[trials]") {
  Lab lab;
  lab.add("one", "exit 1");
  RecordingProgress progress;
  const auto results =
      run_trials(lab.plan, {{"one", {false, "as before"}}}, lab.cache, 4, progress);
  CHECK(results.at("one").message == "as before");
  CHECK(progress.started.empty());
}

TEST_CASE("a full disk says nothing about a toolchain: it stops the work", "[trials]") {
  Lab lab;
  lab.add(
      "a",
      "echo 'cc1: fatal error: error writing to /tmp/x.s: No space left on device' >&2; exit 1");
  try {
    lab.run();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::file_system);
    CHECK_THAT(error.message, Catch::Contains("No space left"));
  }
}

TEST_CASE("an interrupt ends the trials, is no answer, and leaves nothing", "[trials]") {
  Lab lab;
  for (const char* key : {"a", "b", "c", "d"}) lab.add(key, "sleep 60");
  const test::InterruptSoon soon(std::chrono::milliseconds(300));
  const double started = steady_seconds();
  CHECK(test::code_of([&] { lab.run(); }) == ExitCode::interrupted);
  CHECK(steady_seconds() - started < 10);
  CHECK(lab.progress.finished.empty());
  CHECK(fs::is_empty(lab.cache / "trials"));
}

TEST_CASE("what a killed run left in the cache is removed by the next", "[trials]") {
  Lab lab;
  test::write_text(lab.cache / "trials" / ".run.0123456789abcdef.staging" / "canary.cu", "x");
  lab.add("a", "echo x >\"$2\"");
  REQUIRE(lab.run().at("a").ok);
  for (const auto& entry : fs::directory_iterator(lab.cache / "trials")) {
    CHECK(entry.path().extension() == ".json");
  }
}

}  // namespace
}  // namespace dsbuild::run
