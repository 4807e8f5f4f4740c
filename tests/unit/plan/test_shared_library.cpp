#include <catch2/catch.hpp>

#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

using Archs = std::vector<std::string>;

Made plan_legacy(const std::string& arch, const probe::Machine& machine = make_full_machine()) {
  return plan_for({{"legacy"}, {}, arch, {}}, make_catalog(), machine);
}

const Entry* library_of(const Made& made) {
  return made.find("legacy", "cuda", "", "so");
}

TEST_CASE("a shared_library is one file per accelerator with all archs inside", "[shared]") {
  const Made made = plan_legacy("8.0;9.0+PTX");
  const Entry* entry = library_of(made);
  REQUIRE(entry);
  CHECK(entry->artifact == "lib/x86_64-linux-gnu/cuda/legacy.so");
  CHECK(entry->archs == Archs{"sm_80", "sm_90", "sm_90+ptx"});
  CHECK(entry->steps == Archs{"obj/legacy/cuda/so/api.o", "obj/legacy/cuda/so/scale.o",
                              "lib/x86_64-linux-gnu/cuda/legacy.so"});
  const Step& object = made.step("obj/legacy/cuda/so/scale.o");
  CHECK(object.toolchain == "nvcc-13.0.88");
  CHECK(has_word(object.argv, "arch=compute_80,code=sm_80"));
  CHECK(has_word(object.argv, "arch=compute_90,code=sm_90"));
  CHECK(has_word(object.argv, "arch=compute_90,code=compute_90"));
  CHECK_FALSE(has_word(object.argv, "arch=compute_80,code=compute_80"));
  const Step& host = made.step("obj/legacy/cuda/so/api.o");
  CHECK(host.toolchain == "gcc-12.2.0");
  CHECK(has_word(host.argv, "/usr/local/cuda-13.0/include"));
  CHECK(has_word(host.argv, "/usr/local/cuda-13.0/include/cccl"));
  const Step& link = made.step("lib/x86_64-linux-gnu/cuda/legacy.so");
  CHECK(link.toolchain == "gcc-12.2.0");
  CHECK(has_word(link.argv, "-L/usr/local/cuda-13.0/lib64"));
  CHECK(has_word(link.argv, "-L/usr/local/cuda-13.0/lib64/stubs"));  // E06: libcuda's
  CHECK(has_word(link.argv, "-lcudart_static"));
  CHECK(has_word(link.argv, "-lm"));
  CHECK(link.kernels == Archs{"legacy_scale"});
  CHECK(entry->needs ==
        std::map<std::string, std::string>{{"cpu", "x86-64-v2"}, {"driver", ">=13.0"}});
}

TEST_CASE("A09: a library's driver is new enough for all code in it, portable code before others",
          "[shared]") {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0"),
                        make_nvcc("12.8.61", "/usr/local/cuda-12.8", cuda13_archs())};
  const auto driver = [&](const std::string& arch) {
    const Made made = plan_legacy(arch, machine);
    const Entry* entry = library_of(made);
    REQUIRE(entry);
    return std::pair(entry->archs, entry->needs.at("driver"));
  };
  CHECK(driver("8.0+PTX;9.0") ==
        std::pair(Archs{"sm_80", "sm_80+ptx", "sm_90"}, std::string(">=12.8")));
}

TEST_CASE("archs that the sources or the compiler don't take are reasons beside the library",
          "[shared]") {
  const Made made = plan_legacy("7.0;7.5;9.0");
  CHECK(library_of(made)->archs == Archs{"sm_90", "sm_90+ptx"});
  REQUIRE(made.skipped("legacy", "cuda", "sm_75"));
  CHECK(made.skipped("legacy", "cuda", "sm_75")->reason->code == ReasonCode::arch_filter_empty);
  const Made none = plan_legacy("7.5");
  CHECK(none.plan.steps.empty());
  CHECK(none.plan.verdict() == ExitCode::no_op);

  manifest::Catalog catalog = make_catalog();
  catalog.ops.at("legacy").kernels.front().on.at("cuda") = {};
  const Made old = plan_for({{"legacy"}, {}, "7.0;9.0", {}}, catalog, make_full_machine());
  REQUIRE(old.skipped("legacy", "cuda", "sm_70"));
  CHECK(old.skipped("legacy", "cuda", "sm_70")->reason->text ==
        "nvcc-13.0.88 at /usr/local/cuda-13.0/bin/nvcc, which makes the library, doesn't compile "
        "for sm_70");
  CHECK(old.plan.verdict() == ExitCode::no_toolchain);
}

TEST_CASE("a shared_library without kernels is for the host", "[shared]") {
  manifest::Catalog catalog = make_catalog();
  catalog.ops.at("legacy").kernels.clear();
  const Made made = plan_for({{"legacy"}, {}, "", {}}, catalog, make_full_machine());
  const Entry* entry = made.find("legacy", "cpu", "", "so");
  REQUIRE(entry);
  CHECK(entry->artifact == "lib/x86_64-linux-gnu/legacy.so");
  CHECK(entry->steps == Archs{"obj/legacy/cpu/so/api.o", "lib/x86_64-linux-gnu/legacy.so"});
}

TEST_CASE("a shared_library with kernels for the host compiles them for the baseline", "[shared]") {
  manifest::Catalog catalog = make_catalog();
  manifest::Op& op = catalog.ops.at("legacy");
  manifest::KernelSet set;
  set.sources = {op.folder / "loops.cpp"};
  set.on["cpu"] = {};
  op.kernels.push_back(set);
  const Made made = plan_for({{"legacy"}, {}, "9.0", {}}, catalog, make_full_machine());
  const Entry* cpu = made.find("legacy", "cpu", "", "so");
  REQUIRE(cpu);
  CHECK(cpu->steps == Archs{"obj/legacy/cpu/so/api.o", "obj/legacy/cpu/so/loops.o",
                            "lib/x86_64-linux-gnu/legacy.so"});
  CHECK(has_word(made.step("obj/legacy/cpu/so/loops.o").argv, "-march=x86-64-v2"));
  REQUIRE(library_of(made));
  CHECK(library_of(made)->steps.size() == 3);
}

TEST_CASE("a recipe that makes no objects can't build a shared_library", "[shared]") {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0"), make_clang_ptxas("19.1.4", "12.4", {"sm_90"})};
  const Made made = plan_legacy("9.0", machine);
  CHECK(made.plan.steps.empty());
  CHECK(made.plan.verdict() == ExitCode::no_toolchain);
  REQUIRE(made.skipped("legacy", "cuda"));
  CHECK(made.skipped("legacy", "cuda")->reason->code == ReasonCode::toolchain_absent);
}

TEST_CASE("a shared_library's canary is an object of both compilers, linked", "[shared]") {
  const Made made = plan_legacy("9.0");
  std::vector<std::string> whats;
  for (const Trial& trial : made.plan.trials) whats.push_back(trial.what);
  CHECK(whats.size() == 2);
  for (const Trial& trial : made.plan.trials) {
    CHECK(trial.steps.size() == 2);
    CHECK(has_word(library_of(made)->trials, trial.key));
  }
}

}  // namespace
}  // namespace dsbuild::plan
