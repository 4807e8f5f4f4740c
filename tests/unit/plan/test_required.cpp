#include <catch2/catch.hpp>

#include <set>

#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

probe::Machine gcc_only() {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0")};
  return machine;
}

const Setting kTorch7{"arch", "7.5", "TORCH_CUDA_ARCH_LIST"};

/// What is asked for, and the exit code: the table of docs/plan.md, row by row.
struct Row {
  const char* what;
  Wishes wishes;
  ExitCode with_all;  ///< gcc, nvcc 13 and clang for AMD
  ExitCode with_gcc;  ///< gcc alone
};

TEST_CASE("what was named must be built, what wasn't is skipped", "[required]") {
  const ExitCode ok = ExitCode::ok;
  const ExitCode no_toolchain = ExitCode::no_toolchain;
  const ExitCode no_op = ExitCode::no_op;
  const std::vector<Row> rows = {
      {"nothing named", {}, ok, ok},
      {"an op, built for some accelerator", {{"axpy"}, {}, "", {}}, ok, ok},
      {"an op of which nothing can be built", {{"legacy"}, {}, "", {}}, ok, no_toolchain},
      {"an accelerator, for which some ops have no kernel",
       {{}, {"cuda"}, "", {}},
       ok,
       no_toolchain},
      {"two accelerators, one without toolchain", {{}, {"cpu", "rocm"}, "", {}}, ok, no_toolchain},
      {"L01: an op and an accelerator that it has no kernel for",
       {{"legacy"}, {"cpu"}, "", {}},
       no_op,
       no_op},
      {"two ops, one served by each accelerator",
       {{"ring", "legacy"}, {"cpu", "cuda"}, "", {}},
       no_op,
       no_op},  // ring's needs are not here
      {"two ops and an accelerator that serves none of them",
       {{"axpy", "attn"}, {"cpu", "emu"}, "", {}},
       ok,
       ok},
      {"an op and an accelerator beside another that serves it",
       {{"legacy"}, {"cuda", "emu"}, "", {}},
       no_op,
       no_op},
      {"an arch", {{}, {}, "9.0", {}}, ok, no_toolchain},
      {"an arch that the toolkit lacks", {{}, {}, "7.0;9.0", {}}, no_toolchain, no_toolchain},
      {"an arch that one op takes and another doesn't", {{}, {}, "7.5", {}}, ok, no_toolchain},
      {"an arch that the named op doesn't take", {{"attn"}, {}, "7.5", {}}, no_op, no_toolchain},
      {"D10: an AMD target that the named op is not for",
       {{"attn"}, {}, "gfx1030", {}},
       no_op,
       no_toolchain},
      {"two archs, of which the named op takes one",
       {{"attn"}, {}, "7.5;9.0", {}},
       no_op,
       no_toolchain},
      {"two archs, each taken by one of the named ops",
       {{"attn", "axpy"}, {}, "7.5;9.0", {}},
       ok,
       no_toolchain},
      {"an arch in a variable",
       {{}, {}, "", {{"arch", "9.0", "TORCH_CUDA_ARCH_LIST"}}},
       ok,
       no_toolchain},
      {"an arch that no toolkit has and one op doesn't take",
       {{}, {}, "7.0", {}},
       no_toolchain,
       no_toolchain},
      {"an arch in a variable that the toolkit lacks",
       {{}, {}, "", {{"arch", "7.0", "TORCH_CUDA_ARCH_LIST"}}},
       no_toolchain,
       no_toolchain},
      {"a variable for an accelerator that the op doesn't use",
       {{"axpy"}, {"cpu"}, "", {kTorch7}},
       ok,
       ok},
      {"every arch, whatever is there", {{}, {}, "all", {}}, ok, ok},
      {"every arch of an accelerator", {{}, {}, "cuda:all", {}}, ok, no_toolchain},
      {"native without a device", {{}, {}, "cuda:native", {}}, no_toolchain, no_toolchain},
      {"native of the CPU", {{}, {}, "cpu:native", {}}, ok, ok},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(plan_for(row.wishes, make_catalog(), make_full_machine()).plan.verdict() == row.with_all);
    CHECK(plan_for(row.wishes, make_catalog(), gcc_only()).plan.verdict() == row.with_gcc);
  }
}

TEST_CASE("D10: an op that is not for the named target says which targets it has", "[required]") {
  const Made made = plan_for({{"attn"}, {}, "gfx1030", {}}, make_catalog(), make_full_machine());
  CHECK(made.plan.verdict() == ExitCode::no_op);
  const Entry* entry = made.skipped("attn", "rocm", "gfx1030");
  REQUIRE(entry);
  CHECK(entry->required);
  CHECK(entry->reason->code == ReasonCode::arch_filter_empty);
  CHECK(entry->reason->text == "attn has kernels for rocm gfx90a, gfx942, not for gfx1030");
}

TEST_CASE("an accelerator that nothing is compiled for is skipped with its descriptor's words",
          "[required]") {
  manifest::Catalog catalog = make_catalog();
  catalog.ops.at("axpy").kernels.front().on["sdaa"] = {};
  const auto check = [&](const Wishes& wishes, bool required, ExitCode verdict) {
    const Made made = plan_for(wishes, catalog, make_full_machine());
    const Entry* entry = made.skipped("axpy", "sdaa");
    REQUIRE(entry);
    CHECK(entry->reason->code == ReasonCode::toolchain_absent);
    CHECK(entry->reason->text ==
          "nothing is compiled for sdaa: " + catalog.accelerators.at("sdaa").unbuilt);
    CHECK(entry->required == required);
    CHECK(made.plan.verdict() == verdict);
  };
  check({{"axpy"}, {}, ""}, false, ExitCode::ok);
  check({{"axpy"}, {"sdaa"}, ""}, true, ExitCode::no_toolchain);
}

TEST_CASE("L01: an op without a kernel for the named accelerator says which it has", "[required]") {
  manifest::Catalog catalog = make_catalog();
  std::erase_if(catalog.ops.at("axpy").kernels,
                [](const manifest::KernelSet& set) { return set.on.contains("cpu"); });
  const Made made =
      plan_for({{"axpy"}, {"cpu"}, "", {}, "DS_ACCELERATOR"}, catalog, make_full_machine());
  const Entry* entry = made.skipped("axpy", "cpu");
  REQUIRE(entry);
  CHECK(entry->required);
  CHECK(entry->reason->code == ReasonCode::no_kernel);
  CHECK(entry->reason->text == "axpy has no kernel for cpu; it has: cuda, emu, rocm");
  CHECK(made.plan.verdict() == ExitCode::no_op);
  // What was left out by the user's own word is no obstacle.
  const Entry* cuda = made.skipped("axpy", "cuda");
  REQUIRE(cuda);
  CHECK(cuda->reason->code == ReasonCode::accelerator_not_requested);
  CHECK(cuda->reason->text == "DS_ACCELERATOR leaves cuda out");
  CHECK_FALSE(cuda->required);
}

TEST_CASE("on a machine without any compiler even an unnamed request is exit 3", "[required]") {
  const Made made = plan_for({}, make_catalog(), make_machine());
  CHECK(made.plan.steps.empty());
  CHECK(made.plan.verdict() == ExitCode::no_toolchain);
}

TEST_CASE("an arch on the command line whose accelerator is left out is a contradiction",
          "[required]") {
  const Made made = plan_for({{}, {"cpu"}, "9.0", {}}, make_catalog(), make_full_machine());
  CHECK(made.diagnostics.has_errors());
  CHECK(made.problems() ==
        "--arch: archs of cuda are asked for, but --accelerators leaves it out; add cuda to "
        "--accelerators, or leave its archs out\n");
  CHECK_FALSE(plan_for({{}, {"cpu"}, "", {kTorch7}}, make_catalog(), make_full_machine())
                  .diagnostics.has_errors());
}

TEST_CASE("K07: unknown names are told with the nearest known one, all of them", "[required]") {
  const Made made = plan_for({{"axpi", "attn"}, {"cuba", "rokm"}, "9.0z", {}, "DS_ACCELERATOR"},
                             make_catalog(), make_full_machine());
  CHECK(made.diagnostics.all().size() == 4);
  CHECK_THAT(made.problems(),
             Catch::Contains("--ops: there is no op 'axpi'; did you mean 'axpy'?"));
  CHECK_THAT(
      made.problems(),
      Catch::Contains("DS_ACCELERATOR: there is no accelerator 'cuba'; did you mean 'cuda'?"));
  CHECK_THAT(made.problems(), Catch::Contains("did you mean 'rocm'?"));
}

TEST_CASE("an accelerator is known by its aliases, too", "[required]") {
  const Made made = plan_for({{"axpy"}, {"hip"}, "", {}}, make_catalog(), make_full_machine());
  CHECK_FALSE(made.planned("axpy", "rocm").empty());
  CHECK(made.planned("axpy", "cuda").empty());
}

TEST_CASE("everything that was asked about is planned or skipped with a sentence", "[required]") {
  for (const probe::Machine& machine : {make_machine(), gcc_only(), make_full_machine()}) {
    const Made made = plan_for({}, make_catalog(), machine);
    std::set<std::pair<std::string, std::string>> told;
    for (const Entry& entry : made.plan.entries) {
      told.emplace(entry.op, entry.accelerator);
      if (entry.state == EntryState::planned) {
        CHECK_FALSE(entry.steps.empty());
        CHECK_FALSE(entry.artifact.empty());
        CHECK_FALSE(entry.toolchain.empty());
      } else {
        REQUIRE(entry.reason);
        CHECK_FALSE(entry.reason->text.empty());
        CHECK(entry.steps.empty());
      }
    }
    for (const auto& [name, op] : make_catalog().ops) {
      for (const manifest::KernelSet& set : op.kernels) {
        for (const auto& [accelerator, filter] : set.on) CHECK(told.contains({name, accelerator}));
      }
    }
  }
}

}  // namespace
}  // namespace dsbuild::plan
