#include <catch2/catch.hpp>

#include <algorithm>

#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

probe::Machine ring_machine() {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0")};
  machine.tools = {{"git", Fact<std::string>::known("/usr/bin/git", "PATH"), {}}};
  machine.packages["liburing"] = Fact<Version>::known(*Version::parse("2.3"), "liburing.pc");
  return machine;
}

TEST_CASE(
    "one canary for each accelerator, toolchain and form, of host code for each arch, with the "
    "recipe's own flags",
    "[trials]") {
  const Made made = plan_for({{"axpy"}, {}, "8.0;9.0", {}}, make_catalog(), cuda_machine());
  std::vector<std::string> whats;
  for (const Trial& trial : made.plan.trials) whats.push_back(trial.what);
  std::sort(whats.begin(), whats.end());
  CHECK(whats == std::vector<std::string>{"canary of gcc-12.2.0 (library for cpu x86-64-v2)",
                                          "canary of gcc-12.2.0 (so for cpu x86-64-v2)",
                                          "canary of gcc-12.2.0 (so for cpu x86-64-v3)",
                                          "canary of gcc-12.2.0 (so for cpu x86-64-v4)",
                                          "canary of gcc-12.2.0 (so for emu)",
                                          "canary of nvcc-13.0.88 (cubin for cuda)",
                                          "canary of nvcc-13.0.88 (ptx for cuda)"});
  const Trial* cubin = find_trial(made.plan, "cubin");
  CHECK(cubin->source_name == "canary.cu");
  CHECK_THAT(cubin->source, Catch::Contains("#include <functional>"));
  REQUIRE(cubin->steps.size() == 1);
  const Step& step = cubin->steps.front();
  CHECK(has_word(step.argv, "-arch=sm_80"));
  CHECK(has_word(step.argv, "-fmad=false"));
  CHECK(has_word(step.argv, "{build}/canary.cu"));
  CHECK(step.outputs == std::vector<std::string>{"{build}/canary.cubin"});
  CHECK(step.kernels == std::vector<std::string>{"dsbuild_canary"});
  const Entry* entry = made.find("axpy", "cuda", "sm_90", "cubin");
  CHECK(entry->trials == std::vector<std::string>{cubin->key});
}

TEST_CASE("the canaries are the same whatever ops are asked for", "[trials]") {
  const auto canary = [](const std::string& op) {
    const Made made = plan_for({{op}, {}, "7.5;9.0", {}}, make_catalog(), cuda_machine());
    const Trial* trial = find_trial(made.plan, "(cubin for cuda)");
    REQUIRE(trial);
    return trial->key;
  };
  // attn has no kernel for 7.5.
  CHECK(canary("attn") == canary("axpy"));
}

TEST_CASE("a canary holds no word of any manifest", "[trials]") {
  const Made made = plan_for({{"attn"}, {}, "9.0", {}}, make_catalog(), cuda_machine());
  for (const Trial& trial : made.plan.trials) {
    if (trial.what.find("canary") == std::string::npos) continue;
    for (const Step& step : trial.steps) {
      CHECK_FALSE(has_word(step.argv, "--expt-relaxed-constexpr"));
      CHECK_FALSE(has_word(step.argv, "-DATTN=1"));
      for (const std::string& word : step.argv) CHECK(word.find("{src}") == std::string::npos);
    }
  }
}

TEST_CASE("C03: a toolchain whose canary failed is passed over for the next, and a note says so",
          "[trials]") {
  probe::Machine machine = cuda_machine();
  const auto plan = [&] {
    return plan_for({{"axpy"}, {}, "8.0;9.0", {}}, make_catalog(), machine);
  };
  answer(machine, plan().plan, "(cubin for cuda)", false,
         "std_function.h:435: error: parameter packs not expanded with '...'\nsecond line\n");
  const Made made = plan();
  CHECK(made.find("axpy", "cuda", "sm_90", "cubin")->toolchain == "clang-ptxas-19.1.4");
  CHECK(made.find("axpy", "cuda", "sm_90", "ptx")->toolchain == "clang-ptxas-19.1.4");
  CHECK(made.plan.verdict() == ExitCode::ok);
  CHECK_THAT(
      made.notes(),
      Catch::Contains(
          "cuda: clang-ptxas-19.1.4 at /usr/bin/clang++-19 is used instead, because nvcc-13.0.88 "
          "at "
          "/usr/local/cuda/bin/nvcc and its host compiler gcc-12.2.0 at /usr/bin/g++ do not work "
          "together: std_function.h:435: error: parameter packs not expanded with '...'; second "
          "line"));
  // The next one has a canary of its own, which is still to be run.
  const Trial* next = find_trial(made.plan, "canary of clang-ptxas-19.1.4 (cubin for cuda)");
  REQUIRE(next);
  CHECK_FALSE(machine.trials.contains(next->key));
}

TEST_CASE(
    "C03: when nothing else is left the failed canary is the reason, exit 3 where it was named",
    "[trials]") {
  probe::Machine machine = cuda_machine();
  machine.toolchains.pop_back();
  const auto plan = [&](const std::string& arch) {
    return plan_for({{"axpy"}, {}, arch, {}}, make_catalog(), machine);
  };
  answer(machine, plan("9.0").plan, "(cubin for cuda)", false, "error: no");
  const Made named = plan("9.0");
  const Entry* entry = named.skipped("axpy", "cuda");
  REQUIRE(entry);
  CHECK(entry->reason->code == ReasonCode::trial_failed);
  CHECK(entry->required);
  CHECK(named.plan.verdict() == ExitCode::no_toolchain);

  answer(machine, plan("").plan, "(cubin for cuda)", false, "error: no");
  const Made unnamed = plan("");
  CHECK(unnamed.planned("axpy", "cuda").empty());
  CHECK_FALSE(unnamed.planned("axpy", "cpu").empty());
  CHECK(unnamed.plan.verdict() == ExitCode::ok);
}

TEST_CASE("a demanded toolchain whose canary failed is not replaced", "[trials]") {
  probe::Machine machine = cuda_machine();
  machine.toolchains[2].demanded = true;
  machine.toolchains[2].origin = "CUDA_HOME";
  const auto plan = [&] { return plan_for({{"axpy"}, {}, "", {}}, make_catalog(), machine); };
  answer(machine, plan().plan, "(cubin for cuda)", false, "error: no");
  const Made made = plan();
  CHECK(made.planned("axpy", "cuda").empty());
  REQUIRE(made.skipped("axpy", "cuda"));
  CHECK(made.skipped("axpy", "cuda")->required);
  CHECK(made.plan.verdict() == ExitCode::no_toolchain);
}

TEST_CASE("when the host's canary fails its images and libraries go to the next compiler",
          "[trials]") {
  probe::Machine machine = cuda_machine();
  const auto plan = [&] { return plan_for({{"axpy"}, {}, "9.0", {}}, make_catalog(), machine); };
  answer(machine, plan().plan, "gcc-12.2.0 (library for cpu", false, "cannot find crti.o");
  const Made made = plan();
  CHECK(made.find("axpy", "cpu", "", "library")->toolchain == "clang-19.1.4");
  CHECK(made.find("axpy", "cpu", "x86-64-v3", "so")->toolchain == "clang-19.1.4");
}

TEST_CASE("with no toolchain left for the host library the op's images are skipped, too",
          "[trials]") {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0"), make_clang_amdgpu("19.1.4", {"gfx90a"})};
  const auto plan = [&] { return plan_for({{"axpy"}, {}, "", {}}, make_catalog(), machine); };
  answer(machine, plan().plan, "(library for cpu", false, "cannot find crti.o");
  const Made made = plan();
  CHECK(made.plan.steps.empty());
  const Entry* rocm = made.skipped("axpy", "rocm", "gfx90a");
  REQUIRE(rocm);
  CHECK(rocm->reason->text ==
        "the host library of axpy can't be built: gcc-12.2.0 at /usr/bin/g++ failed its canary: "
        "cannot find crti.o");
  CHECK(made.plan.verdict() == ExitCode::no_toolchain);
}

TEST_CASE("what only a compiler can tell is tried with the op's own words", "[trials]") {
  const Made made = plan_for({{"ring"}, {}, "", {}}, make_catalog(), ring_machine());
  const Trial* header = find_trial(made.plan, "header liburing.h (for ring, with gcc-12.2.0)");
  REQUIRE(header);
  CHECK(header->source_name == "need.cpp");
  CHECK_THAT(header->source, Catch::StartsWith("#include <liburing.h>\n"));
  REQUIRE(header->steps.size() == 1);
  CHECK(has_word(header->steps[0].argv, "-I{root1}/ops/ring"));

  const Trial* library = find_trial(made.plan, "library uring with io_uring_queue_init");
  REQUIRE(library);
  CHECK_THAT(library->source, Catch::Contains("__asm__(\"io_uring_queue_init\")"));
  REQUIRE(library->steps.size() == 2);
  CHECK(has_word(library->steps[1].argv, "-luring"));
  CHECK(library->steps[1].inputs == library->steps[0].outputs);

  const Trial* openmp = find_trial(made.plan, "OpenMP");
  REQUIRE(openmp);
  CHECK_THAT(openmp->source, Catch::Contains("omp_get_max_threads()"));
  CHECK(has_word(openmp->steps[0].argv, "-fopenmp"));
  CHECK(has_word(openmp->steps[1].argv, "-fopenmp"));

  for (const Entry& entry : made.plan.entries) {
    for (const Trial* trial : {header, library, openmp}) CHECK(has_word(entry.trials, trial->key));
  }
}

TEST_CASE("a need that was tried and isn't met skips the op, with the compiler's words",
          "[trials]") {
  probe::Machine machine = ring_machine();
  const auto plan = [&] { return plan_for({{"ring"}, {}, "", {}}, make_catalog(), machine); };
  answer(machine, plan().plan, "header liburing.h", false,
         "need.cpp:1:10: fatal error: liburing.h: No such file or directory\n");
  const Made made = plan();
  CHECK(made.plan.steps.empty());
  const Entry* entry = made.skipped("ring", "cpu", "x86-64-v2");
  REQUIRE(entry);
  CHECK(entry->reason->code == ReasonCode::need_missing);
  CHECK(entry->reason->text ==
        "ring needs the header liburing.h (for ring, with gcc-12.2.0): need.cpp:1:10: fatal error: "
        "liburing.h: No such file or directory");
  CHECK(made.plan.verdict() == ExitCode::no_op);
}

TEST_CASE("a need of a kernel set skips that set's images and no others", "[trials]") {
  probe::Machine machine = cuda_machine();
  const auto plan = [&] { return plan_for({{}, {}, "9.0", {}}, make_catalog(), machine); };
  const Made before = plan();
  const Trial* header = find_trial(before.plan, "header cutlass/cutlass.h");
  REQUIRE(header);
  CHECK(header->source_name == "need.cu");
  CHECK(has_word(header->steps[0].argv, "-arch=sm_90a"));
  CHECK(has_word(header->steps[0].argv, "--expt-relaxed-constexpr"));
  answer(machine, before.plan, "header cutlass/cutlass.h", false, "no such file");
  const Made made = plan();
  CHECK(made.planned("attn", "cuda") == std::vector<std::string>{"sm_90", "sm_90+ptx"});
  REQUIRE(made.skipped("attn", "cuda", "sm_90a"));
  CHECK(made.plan.verdict() == ExitCode::ok);
}

TEST_CASE("a trial's key changes with what could change its answer, and with nothing else",
          "[trials]") {
  const auto key = [](const probe::Machine& machine, const manifest::Catalog& catalog,
                      const Environment& environment, std::string_view what) {
    Wishes wishes{{"attn"}, {}, "9.0", {}};
    wishes.environment = environment;
    const Made made = plan_for(wishes, catalog, machine);
    const Trial* trial = find_trial(made.plan, what);
    REQUIRE(trial);
    return trial->key;
  };
  const probe::Machine machine = cuda_machine();
  const manifest::Catalog catalog = make_catalog();
  const std::string canary = key(machine, catalog, {}, "(cubin for cuda)");
  const std::string header = key(machine, catalog, {}, "header");
  CHECK(key(machine, catalog, {{"TMPDIR", "/elsewhere"}}, "(cubin for cuda)") == canary);

  probe::Machine other = machine;
  other.toolchains[2].identity = "a new nvcc";
  CHECK(key(other, catalog, {}, "(cubin for cuda)") != canary);
  other = machine;
  other.toolchains[0].identity = "a new host compiler";
  CHECK(key(other, catalog, {}, "(cubin for cuda)") != canary);

  // Another checkout may hold other headers, but its canaries are the same.
  manifest::Catalog moved = catalog;
  moved.roots.back() = "/elsewhere";
  manifest::Op& op = moved.ops.at("attn");
  op.root = "/elsewhere";
  op.folder = "/elsewhere/ops/attn";
  CHECK(key(machine, moved, {}, "(cubin for cuda)") == canary);
  CHECK(key(machine, moved, {}, "header") != header);
}

}  // namespace
}  // namespace dsbuild::plan
