// Knows how to read an aarch64 CPU from the two words of feature bits that Linux gives a process.
// Does not ask Linux itself: find_cpu() does, tests give captured words.
#pragma once

#include "cpu/cpu.h"

namespace dsbuild::cpu {

/// Reads features from getauxval(AT_HWCAP) and getauxval(AT_HWCAP2): what Linux lists there is
/// usable.
Cpu read_aarch64(std::uint64_t hwcap, std::uint64_t hwcap2);

}  // namespace dsbuild::cpu
