#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "cpu/aarch64.h"
#include "cpu/cpu.h"

using namespace dsbuild::cpu;

TEST_CASE("an armv8-a CPU needs fp and asimd, and both words of feature bits are read") {
  const Cpu graviton3 = read_aarch64(0x0000FFFF & ~0x4ULL, 1ULL << 13 | 1ULL << 14);
  CHECK(best_level(graviton3.isa, graviton3.usable)->name == "armv8-a");
  CHECK((graviton3.usable & parse_features(Isa::aarch64, "bf16").set) != 0);
  CHECK((graviton3.usable & parse_features(Isa::aarch64, "sve2").set) == 0);
  CHECK(best_level(Isa::aarch64, read_aarch64(0x1, 0).usable) == nullptr);
}

TEST_CASE("features of one instruction set make no level of another") {
  CHECK(best_level(Isa::aarch64, find_level("x86-64-v4")->needs) == nullptr);
  CHECK(best_level(Isa::other, ~FeatureSet{0}) == nullptr);
}

#if defined(__x86_64__)
TEST_CASE("this CPU can use what the kernel lists for it, and nothing that it hides") {
  // The kernel's spelling where it differs from ours (arch/x86/include/asm/cpufeatures.h).
  const std::pair<std::string_view, std::string_view> kKernelNames[] = {{"sse3", "pni"},
                                                                        {"pclmul", "pclmulqdq"},
                                                                        {"lahf_sahf", "lahf_lm"},
                                                                        {"lzcnt", "abm"},
                                                                        {"sha", "sha_ni"}};
  // The kernel hides these where it has no use of them.
  const std::string_view kNotListed[] = {"avx512_ifma", "avx512_vbmi"};
  std::string flags;
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; flags.empty() && std::getline(cpuinfo, line);) {
    if (line.rfind("flags", 0) == 0) flags = line.substr(line.find(':') + 1) + " ";
  }
  if (flags.empty()) {
    WARN("skipped: /proc/cpuinfo lists no flags here");
    return;
  }
  const Cpu cpu = find_cpu();
  for (const Feature& feature : features()) {
    if (feature.isa != Isa::x86_64) continue;
    std::string name(feature.name);
    for (const auto& [ours, kernels] : kKernelNames) {
      if (feature.name == ours) name = kernels;
    }
    if (std::find(std::begin(kNotListed), std::end(kNotListed), feature.name) !=
        std::end(kNotListed)) {
      name.erase(name.find('_'), 1);
    }
    const bool listed = flags.find(" " + name + " ") != std::string::npos;
    const bool usable = (cpu.usable & parse_features(Isa::x86_64, feature.name).set) != 0;
    INFO(name);
    CHECK(listed == usable);
  }
  CHECK(best_level(cpu.isa, cpu.usable) != nullptr);
}
#endif
