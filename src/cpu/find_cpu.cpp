#if defined(__x86_64__)
#include <cpuid.h>

#include "cpu/x86.h"
#elif defined(__aarch64__)
#include <sys/auxv.h>

#include "cpu/aarch64.h"
#else
#include "cpu/cpu.h"
#endif

namespace dsbuild::cpu {

#if defined(__x86_64__)

namespace {

class ThisCpuid : public Cpuid {
 public:
  CpuidRegisters leaf(std::uint32_t leaf, std::uint32_t subleaf) const override {
    CpuidRegisters r;
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
    return r;
  }

  // Not _xgetbv(): that needs -mxsave for the whole file.
  std::uint64_t xcr0() const override {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
  }
};

}  // namespace

Cpu find_cpu() {
  return read_x86(ThisCpuid{});
}

#elif defined(__aarch64__)

Cpu find_cpu() {
  return read_aarch64(getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
}

#else

Cpu find_cpu() {
  return {};
}

#endif

}  // namespace dsbuild::cpu
