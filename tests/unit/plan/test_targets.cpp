#include <catch2/catch.hpp>

#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

using Archs = std::vector<std::string>;

Made plan_archs(const std::string& arch, const probe::Machine& machine = make_full_machine()) {
  return plan_for({{"axpy"}, {}, arch, {}}, make_catalog(), machine);
}

TEST_CASE(
    "defaults: CPU levels, every unsuffixed arch of the toolkit with PTX for the newest, and "
    "the AMD targets that the compiler takes",
    "[targets]") {
  const Made made = plan_archs("");
  CHECK(made.planned("axpy", "cpu") == Archs{"x86-64-v2", "x86-64-v3", "x86-64-v4"});
  CHECK(made.planned("axpy", "cuda") == Archs{"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89",
                                              "sm_90", "sm_100", "sm_103", "sm_110", "sm_120",
                                              "sm_121", "sm_121+ptx"});
  CHECK(made.planned("axpy", "rocm") ==
        Archs{"gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1101", "gfx1200", "gfx1201"});
  CHECK(made.planned("axpy", "emu") == Archs{"x86_64"});
  CHECK(made.plan.verdict() == ExitCode::ok);
  // A default target that the compiler doesn't know is a reason, not a failure.
  const Entry* gfx950 = made.skipped("axpy", "rocm", "gfx950");
  REQUIRE(gfx950);
  CHECK(gfx950->reason->code == ReasonCode::arch_unknown_to_toolchain);
  CHECK(gfx950->reason->text ==
        "clang-amdgpu-19.1.4 at /usr/bin/clang++-19 doesn't compile for gfx950, but for gfx90a, "
        "gfx942");
  CHECK_FALSE(gfx950->required);
}

TEST_CASE("defaults don't depend on the devices of the host", "[targets]") {
  probe::Machine with_device = make_full_machine();
  with_device.devices = {make_device("cuda", "0000:17:00.0", "sm_90")};
  CHECK(plan_archs("", with_device).planned("axpy", "cuda") ==
        plan_archs("").planned("axpy", "cuda"));
}

TEST_CASE("defaults follow the host's machine", "[targets]") {
  probe::Machine arm = make_machine("aarch64");
  arm.toolchains = {make_gcc("12.2.0")};
  const Made made = plan_archs("", arm);
  CHECK(made.planned("axpy", "cpu") == Archs{"armv8-a"});
  CHECK(made.planned("axpy", "emu") == Archs{"aarch64"});
  CHECK(made.plan.triple == "aarch64-linux-gnu");
  CHECK(has_word(made.step("obj/axpy/cpu/library/op.o").argv, "-march=armv8-a"));
}

TEST_CASE("F09: on a host machine without archs nothing is planned, and each op says why",
          "[targets]") {
  const std::string name = GENERATE("riscv64", "loongarch64", "s390x", "ppc64le");
  probe::Machine machine = make_machine(name);
  machine.toolchains = {make_gcc("12.2.0")};
  machine.torches = {make_torch("2.15.0")};
  manifest::Op extension;
  extension.name = "adam";
  extension.kind = manifest::OpKind::python_extension;
  extension.module = "pkg.adam_op";
  extension.folder = extension.root = "/tree";
  extension.parts.emplace_back().on["cpu"] = {};
  extension.parts.front().sources = {"/tree/adam.cpp"};
  manifest::Catalog catalog = make_catalog();
  catalog.ops.emplace(extension.name, extension);
  const Made made = plan_for({{}, {}, "", {}}, catalog, machine);
  const std::string reason = "cpu has no archs for the host machine '" + name + "'";
  for (const char* op : {"adam", "axpy", "attn"}) {
    INFO(op);
    const Entry* cpu = made.skipped(op, "cpu");
    REQUIRE(cpu);
    CHECK(cpu->reason->code == ReasonCode::machine_unsupported);
    CHECK_THAT(cpu->reason->text, Catch::Contains(reason));
  }
  REQUIRE(made.skipped("axpy", "emu", name));
  CHECK(made.plan.steps.empty());
  CHECK(plan_for({{"adam"}, {}, "", {}}, catalog, machine).plan.verdict() == ExitCode::no_op);
}

TEST_CASE(
    "B01: an arch that is newer than the toolkit, asked for by name, is exit 3 and told with "
    "both",
    "[targets]") {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("10.2.0"), make_gcc("11.4.0", "/usr/bin/g++-11"),
                        make_nvcc("11.8.89", "/usr/local/cuda-11.8", {"sm_80", "sm_86"})};
  const Made made = plan_archs("8.9", machine);
  const Entry* entry = made.skipped("axpy", "cuda", "sm_89");
  REQUIRE(entry);
  CHECK(entry->required);
  CHECK(made.plan.verdict() == ExitCode::no_toolchain);
  CHECK(entry->reason->code == ReasonCode::arch_unknown_to_toolchain);
  CHECK(entry->reason->text ==
        "nvcc-11.8.89 at /usr/local/cuda-11.8/bin/nvcc doesn't compile for sm_89, its archs end at "
        "sm_86");
}

TEST_CASE("B01: a device that is newer than the toolkit gets the newest arch of its major, and PTX",
          "[targets]") {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("11.4.0"), make_nvcc("11.8.89", "/usr/local/cuda-11.8",
                                                      {"sm_75", "sm_80", "sm_86", "sm_90"})};
  machine.devices = {make_device("cuda", "0000:17:00.0", "sm_89")};
  const Made made = plan_archs("cuda:native", machine);
  CHECK(made.planned("axpy", "cuda") == Archs{"sm_86", "sm_86+ptx"});
  CHECK(made.plan.verdict() == ExitCode::ok);
  CHECK_THAT(
      made.notes(),
      Catch::Contains("no toolchain here compiles for the device's sm_89: building for sm_86"));
}

TEST_CASE("B02: an arch that the toolkit dropped is told as such, and is never a default",
          "[targets]") {
  const Made made = plan_archs("7.0");
  const Entry* entry = made.skipped("axpy", "cuda", "sm_70");
  REQUIRE(entry);
  CHECK_THAT(entry->reason->text,
             Catch::EndsWith("doesn't compile for sm_70, its archs begin at sm_75"));
  CHECK(entry->reason->hint == "take an older toolchain, or leave the arch out");
  CHECK(made.plan.verdict() == ExitCode::no_toolchain);
}

TEST_CASE(
    "B06: without a device and without a list the toolkit's archs are built, and the note "
    "says so",
    "[targets]") {
  const Made made = plan_archs("");
  CHECK(made.plan.verdict() == ExitCode::ok);
  CHECK_THAT(made.notes(), Catch::Contains("cuda: building for sm_75, sm_80, sm_86, "));
  CHECK_THAT(made.notes(), Catch::Contains("sm_121 and ptx of sm_121 (default, all that "
                                           "nvcc-13.0.88 offers); no device visible"));
}

TEST_CASE("B06: native without a device is exit 3 and says that it needs one", "[targets]") {
  const Made made = plan_archs("cuda:native");
  const Entry* entry = made.skipped("axpy", "cuda", "native");
  REQUIRE(entry);
  CHECK(entry->required);
  CHECK(entry->reason->code == ReasonCode::no_device);
  CHECK(entry->reason->text == "cuda:native needs a visible device: no device visible");
  CHECK(made.plan.verdict() == ExitCode::no_toolchain);
}

TEST_CASE("B07: native is the archs of all devices, each once, by number", "[targets]") {
  probe::Machine machine = make_full_machine();
  machine.devices = {
      make_device("cuda", "0000:01:00.0", "sm_121"), make_device("cuda", "0000:02:00.0", "sm_86"),
      make_device("cuda", "0000:03:00.0", "sm_86"), make_device("rocm", "0000:04:00.0", "gfx90a")};
  const Made made = plan_archs("cuda:native", machine);
  CHECK(made.planned("axpy", "cuda") == Archs{"sm_86", "sm_121"});
  CHECK_THAT(plan_archs("", machine).notes(),
             Catch::Contains("; cuda:native would be sm_86, sm_121"));
}

TEST_CASE("a device whose arch nobody knows is named, and the others are built for", "[targets]") {
  probe::Machine machine = make_full_machine();
  machine.devices = {make_device("cuda", "0000:01:00.0", "sm_86"),
                     make_device("cuda", "0000:02:00.0", "")};
  const Made made = plan_archs("cuda:native", machine);
  CHECK(made.planned("axpy", "cuda") == Archs{"sm_86"});
  CHECK_THAT(made.notes(), Catch::Contains("the arch of the device 10de:2330 at 0000:02:00.0 is "
                                           "not known: the table has no such id"));
  machine.devices.erase(machine.devices.begin());
  CHECK(plan_archs("cuda:native", machine).plan.verdict() == ExitCode::no_toolchain);
}

TEST_CASE("B08: the portable form belongs to the newest arch by number, not by text", "[targets]") {
  CHECK(plan_archs("10.0;9.0;8.6").planned("axpy", "cuda") ==
        Archs{"sm_86", "sm_90", "sm_100", "sm_100+ptx"});
}

TEST_CASE("where the portable form is said, it is made there and nowhere else", "[targets]") {
  CHECK(plan_archs("8.0+PTX;9.0").planned("axpy", "cuda") == Archs{"sm_80", "sm_80+ptx", "sm_90"});
  CHECK(plan_archs("compute_80;9.0").planned("axpy", "cuda") == Archs{"sm_80+ptx", "sm_90"});
  CHECK(plan_archs("80-real;90-real").planned("axpy", "cuda") == Archs{"sm_80", "sm_90"});
}

TEST_CASE("B04: an arch with a suffix never stands for later devices", "[targets]") {
  CHECK(plan_archs("9.0;10.0a").planned("axpy", "cuda") == Archs{"sm_90", "sm_90+ptx", "sm_100a"});
  CHECK(plan_archs("9.0a").planned("axpy", "cuda") == Archs{"sm_90a"});
}

TEST_CASE("an arch that is asked for twice is made once", "[targets]") {
  CHECK(plan_archs("9.0;90;sm_90").planned("axpy", "cuda") == Archs{"sm_90", "sm_90+ptx"});
}

TEST_CASE(
    "B11: a filter that takes nothing is exit 4 for an op that was named, and a skip for "
    "others",
    "[targets]") {
  const Made named = plan_for({{"attn"}, {}, "7.5", {}}, make_catalog(), make_full_machine());
  const Entry* entry = named.skipped("attn", "cuda", "sm_75");
  REQUIRE(entry);
  CHECK(entry->required);
  CHECK(entry->reason->code == ReasonCode::arch_filter_empty);
  CHECK(entry->reason->text == "attn has kernels for cuda >=sm_80 or sm_90a, not for sm_75");
  CHECK(named.plan.verdict() == ExitCode::no_op);

  const Made all = plan_for({{}, {}, "7.5", {}}, make_catalog(), make_full_machine());
  CHECK(all.planned("axpy", "cuda") == Archs{"sm_75", "sm_75+ptx"});
  REQUIRE(all.skipped("attn", "cuda", "sm_75"));
  CHECK_FALSE(all.skipped("attn", "cuda", "sm_75")->required);
}

TEST_CASE("B13: all and all-major are what the toolkit has", "[targets]") {
  CHECK(plan_archs("cuda:all").planned("axpy", "cuda") == plan_archs("").planned("axpy", "cuda"));
  CHECK(plan_archs("all-major").planned("axpy", "cuda") ==
        Archs{"sm_75", "sm_80", "sm_90", "sm_100", "sm_110", "sm_120", "sm_120+ptx"});
  probe::Machine small = make_machine();
  small.toolchains = {make_gcc("11.4.0"),
                      make_nvcc("11.8.89", "/usr/local/cuda-11.8", {"sm_50", "sm_52", "sm_60"})};
  CHECK(plan_archs("all", small).planned("axpy", "cuda") ==
        Archs{"sm_50", "sm_52", "sm_60", "sm_60+ptx"});
  CHECK(plan_archs("all-major", small).planned("axpy", "cuda") ==
        Archs{"sm_50", "sm_60", "sm_60+ptx"});
}

TEST_CASE("a request for 9.0 serves a source that asks for 9.0a", "[targets]") {
  const Made made = plan_for({{"attn"}, {}, "9.0", {}}, make_catalog(), make_full_machine());
  CHECK(made.planned("attn", "cuda") == Archs{"sm_90", "sm_90+ptx", "sm_90a"});
  // The portable form of 9.0 must not become one of 9.0a, which no other device runs.
  CHECK_FALSE(made.find("attn", "cuda", "sm_90a", "ptx"));
}

TEST_CASE("instances are images of their own", "[targets]") {
  const Made made =
      plan_for({{"attn"}, {"rocm"}, "gfx942", {}}, make_catalog(), make_full_machine());
  Archs artifacts;
  for (const Entry& entry : made.plan.entries) {
    if (entry.accelerator == "rocm") artifacts.push_back(entry.artifact);
  }
  CHECK(artifacts == Archs{"images/attn/rocm/gfx942.HEAD_DIM-128.hsaco",
                           "images/attn/rocm/gfx942.HEAD_DIM-64.hsaco"});
}

TEST_CASE("a feature of a target is part of its file's name, without a colon", "[targets]") {
  const Made made = plan_archs("gfx90a:xnack-");
  const Entry* entry = made.find("axpy", "rocm", "gfx90a:xnack-", "hsaco");
  REQUIRE(entry);
  // clang lists processors without features.
  CHECK(entry->artifact == "images/axpy/rocm/gfx90a.xnack-.hsaco");
}

TEST_CASE("cpu:native binds the plan to this host", "[targets]") {
  const Made made = plan_archs("cpu:native");
  CHECK(made.planned("axpy", "cpu") == Archs{"native"});
  CHECK(made.plan.host_bound);
  CHECK(made.plan.host_features == std::vector<std::string>{"avx", "avx2", "sse4_2"});
  CHECK(has_word(made.step("obj/axpy/cpu/native/kernels.o").argv,
                 "-DDSOPS_IMAGE_FEATURES=\"avx avx2 sse4_2\""));
  CHECK_FALSE(plan_archs("x86-64-v3").plan.host_bound);

  probe::Machine blind = make_full_machine();
  blind.cpu.features = Fact<std::vector<std::string>>::missing("no CPUID");
  CHECK(plan_archs("cpu:native", blind).plan.verdict() == ExitCode::no_toolchain);
}

}  // namespace
}  // namespace dsbuild::plan
