#include <catch2/catch.hpp>

#include <algorithm>

#include "machines/fake_root.h"
#include "probe/sources.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using dsbuild::machines::FakeRoot;

namespace {

Cpu cpu_of(const std::string& cpuinfo) {
  FakeRoot root;
  root.file("/proc/cpuinfo", cpuinfo);
  return find_cpu(root.system(), false);
}

// Synthesised from the lists in Linux's arch/x86/include/asm/cpufeatures.h.
const std::string kV2 =
    "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat mmx fxsr "
    "sse sse2 ht syscall nx lm pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm";
const std::string kV3 = kV2 + " fma movbe avx f16c abm bmi1 avx2 bmi2 pclmulqdq sha_ni";
const std::string kV4 = kV3 + " avx512f avx512dq avx512cd avx512bw avx512vl avx512ifma avx512vbmi";

}  // namespace

TEST_CASE("a CPU's level follows from its flags in cpuinfo") {
  const auto level = [](const std::string& flags) {
    return *cpu_of("processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: " + flags + "\n").level;
  };
  CHECK(level(kV2) == "x86-64-v2");
  CHECK(level(kV3) == "x86-64-v3");
  CHECK(level(kV4) == "x86-64-v4");
  CHECK(level("fpu cx8 cmov mmx fxsr sse sse2 lm") == "x86-64-v1");
}

TEST_CASE("Linux's own names of features become those of src/cpu") {
  const Cpu cpu = cpu_of("model name : Some CPU\nflags : " + kV4 + "\n");
  CHECK(*cpu.model == "Some CPU");
  for (const char* name :
       {"sse3", "pclmul", "lahf_sahf", "lzcnt", "sha", "avx512_vbmi", "avx512_ifma"}) {
    INFO(name);
    CHECK(std::count(cpu.features->begin(), cpu.features->end(), name) == 1);
  }
}

TEST_CASE("an aarch64 cpuinfo has Features") {
  const Cpu cpu = cpu_of("processor : 0\nFeatures : fp asimd evtstrm aes atomics sve\n");
  CHECK(*cpu.level == "armv8-a");
  CHECK_FALSE(cpu.model);
}

TEST_CASE("without cpuinfo each fact of the CPU has its reason") {
  const Cpu cpu = cpu_of("");
  CHECK_FALSE(cpu.level);
  CHECK_FALSE(cpu.level.reason.empty());
  CHECK_FALSE(cpu.features.reason.empty());
  CHECK_FALSE(cpu.model.reason.empty());
}

TEST_CASE("this CPU is the same by CPUID and by cpuinfo") {
  const PosixSystem system("/");
  const Cpu asked = find_cpu(system, true);
  const Cpu read = find_cpu(system, false);
  if (!asked.level || !read.level) {
    WARN("skipped: no table for this kind of CPU, or no /proc/cpuinfo");
    return;
  }
  CHECK(asked.level.value == read.level.value);
  // Linux hides what it doesn't want used, and adds nothing.
  for (const std::string& name : *read.features) {
    INFO(name);
    CHECK(std::count(asked.features->begin(), asked.features->end(), name) == 1);
  }
}
