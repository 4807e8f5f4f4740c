// Knows how to read an x86-64 CPU from CPUID leaves and XCR0, whoever gives them.
// Does not execute CPUID itself: find_cpu() does, tests give captured leaves.
#pragma once

#include "cpu/cpu.h"

namespace dsbuild::cpu {

/// What CPUID leaves in its four registers.
struct CpuidRegisters {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// Source of CPUID leaves: the CPU itself, or a captured one.
class Cpuid {
 public:
  virtual ~Cpuid() = default;
  /// Registers of a leaf. Only leaves up to the highest one of their range are asked for.
  virtual CpuidRegisters leaf(std::uint32_t leaf, std::uint32_t subleaf) const = 0;
  /// XCR0 by XGETBV; asked for only if OSXSAVE is set, else the instruction would fault.
  virtual std::uint64_t xcr0() const = 0;
};

/// Reads vendor, brand, family and features. The vendor decides nothing.
Cpu read_x86(const Cpuid& cpuid);

}  // namespace dsbuild::cpu
