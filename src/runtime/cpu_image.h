// Knows which CPU image of a folder fits this CPU best.
// Does not know kernels or threads.
#pragma once

#include <cstdint>
#include <string>

#include "cpu/cpu.h"
#include "runtime/image_file.h"

namespace dsops::runtime {

/// The CPU that images are chosen for: this one, held back by DSOPS_MAX_CPU_LEVEL.
struct CpuTarget {
  dsbuild::cpu::Isa isa = dsbuild::cpu::Isa::other;
  dsbuild::cpu::FeatureSet usable = 0;
  std::string arch;   ///< highest level: "x86-64-v3"; "" if there is none
  std::string brand;  ///< as CPUID has it
};

/// A DSOPS_MAX_CPU_LEVEL that is no level of this CPU's kind is a failure.
std::int32_t find_cpu_target(CpuTarget& out);

/// Loads from `folder` native.so if the CPU has all that it says it needs, else <level>.so for the
/// highest level that the CPU has. A file that fits and can't be loaded is a failure, never passed
/// over.
std::int32_t load_cpu_image(const CpuTarget& target, const char* folder, ImageFile** out);

}  // namespace dsops::runtime
