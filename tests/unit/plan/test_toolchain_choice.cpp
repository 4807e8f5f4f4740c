#include <catch2/catch.hpp>

#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

using Archs = std::vector<std::string>;

Made plan_axpy(const probe::Machine& machine, const std::string& arch = "",
               const Archs& accelerators = {}) {
  return plan_for({{"axpy"}, accelerators, arch, {}}, make_catalog(), machine);
}

probe::Machine with(std::vector<probe::Toolchain> toolchains) {
  probe::Machine machine = make_machine();
  machine.toolchains = std::move(toolchains);
  return machine;
}

probe::Toolchain demanded(probe::Toolchain toolchain, const std::string& origin) {
  toolchain.origin = origin;
  toolchain.demanded = true;
  return toolchain;
}

const Archs kOldArchs = {"sm_50", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90"};

TEST_CASE("kinds are preferred in the order in which descriptors probe them", "[toolchain]") {
  // By name clang would be the first.
  const Made made =
      plan_axpy(with({make_clang("19.1.4", "/usr/bin/clang++-19"), make_gcc("12.2.0")}));
  CHECK(made.find("axpy", "cpu", "x86-64-v3", "so")->toolchain == "gcc-12.2.0");
  CHECK(made.find("axpy", "emu", "x86_64", "so")->toolchain == "gcc-12.2.0");
}

TEST_CASE("in a kind the machine's order holds, and versions that are too old are passed over",
          "[toolchain]") {
  const Made made = plan_axpy(with({make_gcc("10.2.0"), make_gcc("12.2.0", "/usr/bin/g++-12"),
                                    make_gcc("13.1.0", "/usr/bin/g++-13")}));
  CHECK(made.find("axpy", "cpu", "x86-64-v3", "so")->toolchain == "gcc-12.2.0");
}

TEST_CASE("a compiler that is too old is a reason that names it and the range", "[toolchain]") {
  const Made made = plan_axpy(with({make_gcc("9.4.0")}));
  const Entry* cpu = made.skipped("axpy", "cpu");
  REQUIRE(cpu);
  CHECK(cpu->reason->code == ReasonCode::toolchain_version);
  CHECK(cpu->reason->text == "gcc-9.4.0 at /usr/bin/g++ is not >=11");
  CHECK(cpu->reason->hint == "apt-get install g++");
}

TEST_CASE("without any toolchain each accelerator says where it was looked for and what to install",
          "[toolchain]") {
  const Made made = plan_axpy(
      with({make_absent("gcc", "no g++ on PATH"), make_absent("nvcc", "no nvcc on PATH")}));
  CHECK(made.plan.steps.empty());
  const Entry* cuda = made.skipped("axpy", "cuda");
  REQUIRE(cuda);
  CHECK(cuda->reason->code == ReasonCode::toolchain_absent);
  CHECK(cuda->reason->text == "no toolchain for cuda is on this machine (nvcc: no nvcc on PATH)");
  CHECK(cuda->reason->hint ==
        "install a CUDA toolkit and set CUDA_HOME to it; or apt-get install clang-19, and put a "
        "ptxas on PATH");
  // The op was named and nothing of it can be built.
  CHECK(made.plan.verdict() == ExitCode::no_toolchain);
}

TEST_CASE("A07: a partial toolchain says what it lacks, and CPU ops are unaffected",
          "[toolchain]") {
  probe::Toolchain nvcc = make_nvcc("13.0.88", "/usr/local/cuda", cuda13_archs());
  nvcc.state = probe::ToolchainState::partial;
  nvcc.missing = {"bin/ptxas", "include/cuda_runtime.h"};
  const Made made = plan_axpy(with({make_gcc("12.2.0"), nvcc}));
  const Entry* cuda = made.skipped("axpy", "cuda");
  REQUIRE(cuda);
  CHECK(cuda->reason->code == ReasonCode::toolchain_partial);
  CHECK(cuda->reason->text ==
        "nvcc-13.0.88 at /usr/local/cuda/bin/nvcc is not complete; missing: bin/ptxas, "
        "include/cuda_runtime.h");
  CHECK(made.planned("axpy", "cpu").size() == 3);
  CHECK(made.plan.verdict() == ExitCode::ok);
  CHECK(plan_axpy(with({make_gcc("12.2.0"), nvcc}), "", {"cuda"}).plan.verdict() ==
        ExitCode::no_toolchain);
}

TEST_CASE("each arch gets the first toolchain that offers it", "[toolchain]") {
  const Made made =
      plan_axpy(with({make_gcc("12.2.0"), make_nvcc("13.0.88", "/usr/local/cuda", cuda13_archs()),
                      make_clang_ptxas("19.1.4", "11.8", kOldArchs)}),
                "7.0;9.0");
  CHECK(made.find("axpy", "cuda", "sm_70", "cubin")->toolchain == "clang-ptxas-19.1.4");
  CHECK(made.find("axpy", "cuda", "sm_90", "cubin")->toolchain == "nvcc-13.0.88");
}

TEST_CASE(
    "A05: of two toolkits the machine's first is taken; an arch it lacks comes from the other",
    "[toolchain]") {
  const Made made =
      plan_axpy(with({make_gcc("12.2.0"), make_nvcc("11.8.89", "/usr/local/cuda-11.8", kOldArchs),
                      make_nvcc("13.0.88", "/usr/local/cuda-13.0", cuda13_archs())}),
                "8.0;12.0");
  CHECK(made.find("axpy", "cuda", "sm_80", "cubin")->toolchain == "nvcc-11.8.89");
  CHECK(made.find("axpy", "cuda", "sm_120", "cubin")->toolchain == "nvcc-13.0.88");
}

TEST_CASE(
    "K02: a demanded toolkit that is none never falls back, and the reason names the variable "
    "and the others",
    "[toolchain]") {
  probe::Toolchain none =
      demanded(make_absent("nvcc", "CUDA_HOME=/usr/lib/cuda has no bin/nvcc"), "CUDA_HOME");
  const probe::Machine machine =
      with({make_gcc("12.2.0"), none, make_nvcc("13.0.88", "/usr/local/cuda-13.0", cuda13_archs()),
            make_clang_ptxas("19.1.4", "11.8", kOldArchs)});
  const Made made = plan_axpy(machine);
  CHECK(made.planned("axpy", "cuda").empty());
  const Entry* cuda = made.skipped("axpy", "cuda");
  REQUIRE(cuda);
  CHECK(cuda->required);
  CHECK(cuda->reason->code == ReasonCode::toolchain_absent);
  CHECK(cuda->reason->text == "CUDA_HOME=/usr/lib/cuda has no bin/nvcc");
  CHECK(cuda->reason->hint ==
        "correct CUDA_HOME or leave it unset; also found: nvcc-13.0.88 at "
        "/usr/local/cuda-13.0/bin/nvcc");
  CHECK(made.plan.verdict() == ExitCode::no_toolchain);

  // Whoever doesn't want CUDA isn't troubled by its variable.
  CHECK(plan_axpy(machine, "", {"cpu"}).plan.verdict() == ExitCode::ok);
  CHECK(plan_for({{"ring"}, {}, "", {}}, make_catalog(), machine).skipped("ring", "cuda") ==
        nullptr);
}

TEST_CASE("K02: a demanded toolkit that is partial never falls back either", "[toolchain]") {
  probe::Toolchain partial =
      demanded(make_nvcc("13.0.88", "/opt/half", cuda13_archs()), "--toolkit");
  partial.state = probe::ToolchainState::partial;
  partial.missing = {"bin/ptxas"};
  const Made made = plan_axpy(
      with({make_gcc("12.2.0"), partial, make_nvcc("12.4.1", "/usr/local/cuda", kOldArchs)}));
  const Entry* cuda = made.skipped("axpy", "cuda");
  REQUIRE(cuda);
  CHECK(cuda->required);
  CHECK(cuda->reason->text ==
        "nvcc-13.0.88 at /opt/half/bin/nvcc is not complete; missing: bin/ptxas (demanded by "
        "--toolkit)");
}

TEST_CASE("an arch that a demanded toolkit lacks isn't taken from another one", "[toolchain]") {
  const Made made = plan_axpy(
      with({make_gcc("11.4.0"),
            demanded(make_nvcc("11.8.89", "/usr/local/cuda-11.8", kOldArchs), "CUDA_HOME"),
            make_nvcc("13.0.88", "/usr/local/cuda-13.0", cuda13_archs())}),
      "12.0");
  const Entry* entry = made.skipped("axpy", "cuda", "sm_120");
  REQUIRE(entry);
  CHECK(entry->reason->hint ==
        "take a newer toolchain, or leave the arch out; CUDA_HOME keeps others from being taken");
}

TEST_CASE("a demanded compiler of one kind keeps the other kinds from being taken", "[toolchain]") {
  const Made made = plan_axpy(
      with({make_gcc("12.2.0"), demanded(make_clang("19.1.4", "/usr/bin/clang++-19"), "CXX")}));
  CHECK(made.find("axpy", "cpu", "x86-64-v3", "so")->toolchain == "clang-19.1.4");
}

TEST_CASE("what the flag names is stronger than what a variable names, for all that it can make",
          "[toolchain]") {
  const probe::Machine machine =
      with({make_gcc("12.2.0"),
            demanded(make_nvcc("13.0.88", "/usr/local/cuda", cuda13_archs()), "CUDA_HOME"),
            demanded(make_clang_ptxas("19.1.4", "12.4", {"sm_90", "sm_90a"}), "--toolkit")});
  const Made axpy = plan_axpy(machine, "9.0");
  CHECK(axpy.find("axpy", "cuda", "sm_90", "cubin")->toolchain == "clang-ptxas-19.1.4");
  // It compiles no vendor headers: there the variable holds.
  const Made attn = plan_for({{"attn"}, {}, "9.0a", {}}, make_catalog(), machine);
  std::string toolchains;
  for (const Entry& entry : attn.plan.entries) {
    if (entry.accelerator == "cuda") toolchains += entry.toolchain + ";";
  }
  CHECK(toolchains.find("nvcc-13.0.88") != std::string::npos);

  const Made host =
      plan_axpy(with({demanded(make_gcc("12.2.0"), "CXX"),
                      demanded(make_clang("19.1.4", "/usr/bin/clang++-19"), "--toolkit")}));
  CHECK(host.find("axpy", "cpu", "x86-64-v3", "so")->toolchain == "clang-19.1.4");
}

TEST_CASE("a demanded toolchain without a recipe for what is wanted is a reason", "[toolchain]") {
  const Made made = plan_for(
      {{"attn"}, {}, "9.0a", {}}, make_catalog(),
      with({make_gcc("12.2.0"), make_nvcc("13.0.88", "/usr/local/cuda", cuda13_archs()),
            demanded(make_clang_ptxas("19.1.4", "12.4", {"sm_90", "sm_90a"}), "--toolkit")}));
  bool seen = false;
  for (const Entry& entry : made.plan.entries) {
    if (entry.state != EntryState::skipped || entry.accelerator != "cuda") continue;
    seen = true;
    CHECK(entry.reason->text ==
          "clang-ptxas-19.1.4 at /usr/bin/clang++-19 was demanded by --toolkit, and it compiles "
          "only sources without a vendor's headers");
  }
  CHECK(seen);
}

TEST_CASE(
    "C01: a host compiler that is too new is replaced by the newest that is within the limits, "
    "and a note says so",
    "[toolchain]") {
  const probe::Machine machine = with({make_gcc("16.1.0"), make_gcc("14.2.0", "/usr/bin/g++-14"),
                                       make_gcc("15.1.0", "/usr/bin/g++-15"),
                                       make_nvcc("13.0.88", "/usr/local/cuda", cuda13_archs())});
  const Made made = plan_axpy(machine, "9.0");
  CHECK(has_word(made.step("images/axpy/cuda/sm_90.cubin").argv, "/usr/bin/g++-15"));
  CHECK(made.find("axpy", "cpu", "x86-64-v3", "so")->toolchain == "gcc-16.1.0");
  CHECK_THAT(
      made.notes(),
      Catch::Contains(
          "nvcc-13.0.88 takes clang >=3.3, <21 or gcc <16 as its host compiler, so it is given "
          "gcc-15.1.0 at /usr/bin/g++-15, not gcc-16.1.0 at /usr/bin/g++"));
}

TEST_CASE("C01: no host compiler within the limits is exit 3, naming limits and compilers",
          "[toolchain]") {
  const Made made = plan_axpy(with({make_gcc("16.1.0"), make_clang("21.0.0", "/usr/bin/clang++"),
                                    make_nvcc("13.0.88", "/usr/local/cuda", cuda13_archs())}),
                              "9.0");
  const Entry* cuda = made.skipped("axpy", "cuda");
  REQUIRE(cuda);
  CHECK(cuda->required);
  CHECK(cuda->reason->code == ReasonCode::host_compiler);
  CHECK(cuda->reason->text ==
        "nvcc-13.0.88 at /usr/local/cuda/bin/nvcc needs a host compiler, clang >=3.3, <21 or gcc "
        "<16; found: gcc-16.1.0 at /usr/bin/g++, clang-21.0.0 at /usr/bin/clang++");
  CHECK(made.plan.verdict() == ExitCode::no_toolchain);
}

TEST_CASE(
    "a demanded host compiler that the toolkit refuses is not given to it, and a note says so",
    "[toolchain]") {
  const Made made =
      plan_axpy(with({demanded(make_gcc("16.1.0", "/opt/gcc16/bin/g++"), "CXX"), make_gcc("12.2.0"),
                      make_nvcc("13.0.88", "/usr/local/cuda", cuda13_archs())}),
                "9.0");
  CHECK(has_word(made.step("images/axpy/cuda/sm_90.cubin").argv, "/usr/bin/g++"));
  CHECK(made.find("axpy", "cpu", "x86-64-v3", "so")->toolchain == "gcc-16.1.0");
  CHECK_THAT(made.notes(),
             Catch::Contains("so it is given gcc-12.2.0 at /usr/bin/g++, not gcc-16.1.0"));
}

TEST_CASE("a toolchain without host limits takes the host's usual compiler", "[toolchain]") {
  probe::Toolchain nvcc = make_nvcc("13.0.88", "/usr/local/cuda", cuda13_archs());
  nvcc.host_limits.clear();
  const Made made = plan_axpy(with({make_gcc("16.1.0"), nvcc}), "9.0");
  CHECK(has_word(made.step("images/axpy/cuda/sm_90.cubin").argv, "/usr/bin/g++"));
}

TEST_CASE("C02: no plan holds a flag that makes a toolkit take an unsupported compiler",
          "[toolchain]") {
  const Made made = plan_axpy(make_full_machine());
  for (const Step& step : made.plan.steps)
    CHECK_FALSE(has_word(step.argv, "-allow-unsupported-compiler"));
}

TEST_CASE("sources that use a vendor's headers are compiled by recipes that make objects only",
          "[toolchain]") {
  const Made made =
      plan_for({{"attn"}, {"cuda"}, "9.0", {}}, make_catalog(),
               with({make_gcc("12.2.0"), make_clang_ptxas("19.1.4", "12.4", {"sm_90", "sm_90a"})}));
  CHECK(made.planned("attn", "cuda") == Archs{"sm_90", "sm_90+ptx"});
  const Entry* vendor = made.skipped("attn", "cuda", "sm_90a");
  REQUIRE(vendor);
  CHECK(vendor->reason->code == ReasonCode::toolchain_absent);
  CHECK(vendor->reason->hint == "install a CUDA toolkit and set CUDA_HOME to it");
}

TEST_CASE("a version of the toolchain that the kernel set needs is checked", "[toolchain]") {
  const Archs archs = {"sm_80", "sm_90", "sm_90a"};
  const Made made =
      plan_for({{"attn"}, {}, "9.0", {}}, make_catalog(),
               with({make_gcc("11.4.0"), make_nvcc("12.1.105", "/usr/local/cuda-12.1", archs)}));
  const Entry* entry = made.skipped("attn", "cuda", "sm_90a");
  REQUIRE(entry);
  CHECK(entry->reason->code == ReasonCode::need_version);
  CHECK(entry->reason->text ==
        "a toolchain for cuda of version >=12.3 is needed, nvcc-12.1.105 at "
        "/usr/local/cuda-12.1/bin/nvcc is not");
  const Made two =
      plan_for({{"attn"}, {}, "9.0", {}}, make_catalog(),
               with({make_gcc("11.4.0"), make_nvcc("12.1.105", "/usr/local/cuda-12.1", archs),
                     make_nvcc("12.4.99", "/usr/local/cuda-12.4", archs)}));
  CHECK(two.find("attn", "cuda", "sm_90a", "cubin")->toolchain == "nvcc-12.4.99");
  CHECK(two.find("attn", "cuda", "sm_90", "cubin")->toolchain == "nvcc-12.1.105");
}

TEST_CASE("a toolchain that doesn't say which archs it compiles for gets no defaults",
          "[toolchain]") {
  const Made made =
      plan_axpy(with({make_gcc("12.2.0"), make_nvcc("13.0.88", "/usr/local/cuda", {})}));
  const Entry* cuda = made.skipped("axpy", "cuda");
  REQUIRE(cuda);
  CHECK(cuda->reason->code == ReasonCode::arch_unknown_to_toolchain);
}

TEST_CASE("the settings say which toolchain was taken and what named it", "[toolchain]") {
  const Made made =
      plan_axpy(with({make_gcc("12.2.0"),
                      demanded(make_nvcc("13.0.88", "/opt/cuda", cuda13_archs()), "CUDA_HOME")}),
                "9.0");
  const auto value = [&](const std::string& name) {
    for (const Setting& setting : made.plan.settings) {
      if (setting.name == name) return setting.value + " <- " + setting.origin;
    }
    return std::string("-");
  };
  CHECK(value("toolchain.cuda") == "nvcc-13.0.88 at /opt/cuda/bin/nvcc <- CUDA_HOME");
  CHECK(value("archs.cuda") == "sm_90 and ptx of sm_90 <- --arch");
  CHECK(value("archs.cpu") == "x86-64-v2, x86-64-v3, x86-64-v4 <- default");
  CHECK(value("ops") == "axpy <- --ops");
  CHECK(value("accelerators") == "cpu cuda emu rocm <- default");
}

}  // namespace
}  // namespace dsbuild::plan
