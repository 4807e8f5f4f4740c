// Knows CPUID leaves of real CPUs, each with where it was captured.
// Does not know what should be read from them: that is the test's.
#pragma once

#include <map>
#include <utility>

#include "cpu/x86.h"

namespace dsbuild::cpu {

/// A CPU made of leaves given by hand; what is not given is zero, as on a real one.
class FakeCpuid : public Cpuid {
 public:
  using Leaves = std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters>;

  explicit FakeCpuid(Leaves leaves, std::uint64_t xcr0 = 0)
      : leaves_(std::move(leaves)), xcr0_(xcr0) {}

  CpuidRegisters leaf(std::uint32_t leaf, std::uint32_t subleaf) const override {
    const auto found = leaves_.find({leaf, subleaf});
    return found == leaves_.end() ? CpuidRegisters{} : found->second;
  }
  std::uint64_t xcr0() const override {
    ++xcr0_reads;
    return xcr0_;
  }

  mutable int xcr0_reads = 0;  ///< XGETBV faults where OSXSAVE is off, so this must stay 0 there

 private:
  Leaves leaves_;
  std::uint64_t xcr0_;
};

constexpr std::uint64_t kNoVectors = 0x3, kYmm = 0x7, kZmm = 0xE7, kTiles = 0x602E7;

// https://github.com/InstLatx64/InstLatx64: GenuineIntel00106A1_Nehalem_CPUID.txt. OSXSAVE is off.
inline FakeCpuid nehalem() {
  return FakeCpuid({{{0, 0}, {0x0000000B, 0x756E6547, 0x6C65746E, 0x49656E69}},
                    {{1, 0}, {0x000106A2, 0x00100800, 0x00BCE3BD, 0xBFEBFBFF}},
                    {{0x80000000, 0}, {0x80000008, 0, 0, 0}},
                    {{0x80000001, 0}, {0, 0, 0x00000001, 0x28100000}},
                    {{0x80000002, 0}, {0x756E6547, 0x20656E69, 0x65746E49, 0x2952286C}},
                    {{0x80000003, 0}, {0x55504320, 0x20202020, 0x20202020, 0x40202020}},
                    {{0x80000004, 0}, {0x30303020, 0x20402030, 0x37382E31, 0x007A4847}}});
}

// https://github.com/InstLatx64/InstLatx64: GenuineIntel00306C3_Haswell_CPUID.txt.
inline FakeCpuid haswell(std::uint64_t xcr0 = kYmm) {
  return FakeCpuid({{{0, 0}, {0x0000000D, 0x756E6547, 0x6C65746E, 0x49656E69}},
                    {{1, 0}, {0x000306C3, 0x00100800, 0x7FFAFBFF, 0xBFEBFBFF}},
                    {{7, 0}, {0, 0x000027AB, 0, 0}},
                    {{0x80000000, 0}, {0x80000008, 0, 0, 0}},
                    {{0x80000001, 0}, {0, 0, 0x00000021, 0x2C100000}},
                    {{0x80000002, 0}, {0x65746E49, 0x2952286C, 0x726F4320, 0x4D542865}},
                    {{0x80000003, 0}, {0x37692029, 0x3737342D, 0x50432030, 0x20402055}},
                    {{0x80000004, 0}, {0x30342E33, 0x007A4847, 0, 0}}},
                   xcr0);
}

// A virtual machine on AMD EPYC Milan; the brand is the hypervisor's.
inline FakeCpuid zen3() {
  return FakeCpuid({{{0, 0}, {0x0000000D, 0x68747541, 0x444D4163, 0x69746E65}},
                    {{1, 0}, {0x00A00F11, 0x01020800, 0xFFFA3203, 0x178BFBFF}},
                    {{7, 0}, {0, 0x219C07AB, 0x00400684, 0x00000010}},
                    {{0x80000000, 0}, {0x80000021, 0x68747541, 0x444D4163, 0x69746E65}},
                    {{0x80000001, 0}, {0x00A00F11, 0x40000000, 0x004003F3, 0x2FD3FBFF}},
                    {{0x80000002, 0}, {0x20444D41, 0x43595045, 0, 0}}},
                   kYmm);
}

// https://github.com/InstLatx64/InstLatx64: GenuineIntel0050654_SkylakeX_CPUID.txt.
inline FakeCpuid skylake_x(std::uint64_t xcr0) {
  return FakeCpuid({{{0, 0}, {0x00000016, 0x756E6547, 0x6C65746E, 0x49656E69}},
                    {{1, 0}, {0x00050654, 0x00200800, 0x7FFEFBBF, 0xBFEBFBFF}},
                    {{7, 0}, {0, 0xD39FFFFB, 0, 0}},
                    {{0x80000000, 0}, {0x80000008, 0, 0, 0}},
                    {{0x80000001, 0}, {0, 0, 0x00000121, 0x2C100000}}},
                   xcr0);
}

// Xeon Platinum 8462Y+: leaf 1 as a guest of it shows
// (https://lists.nongnu.org/archive/html/qemu-devel/2024-09/, "host-cache-info"), leaf 7 made from
// the flags that Linux lists for the model.
inline FakeCpuid sapphire_rapids(std::uint64_t xcr0 = kTiles) {
  return FakeCpuid({{{0, 0}, {0x00000020, 0x756E6547, 0x6C65746E, 0x49656E69}},
                    {{1, 0}, {0x000806F8, 0x465A0800, 0xFFFABA1F, 0x3FA9FBFF}},
                    {{7, 0}, {1, 0xF1BF07AB, 0x1B415F4E, 0x03C14410}},
                    {{7, 1}, {0x00000030, 0, 0, 0}},
                    {{0x80000000, 0}, {0x80000008, 0, 0, 0}},
                    {{0x80000001, 0}, {0, 0, 0x00000121, 0x2C100000}}},
                   xcr0);
}

// https://github.com/InstLatx64/InstLatx64: HygonGenuine0900F02_Hygon_CPUID.txt. It was captured
// under a system that leaves OSXSAVE off.
inline FakeCpuid hygon(bool os_xsave) {
  const std::uint32_t osxsave = os_xsave ? 1U << 27 : 0;
  return FakeCpuid({{{0, 0}, {0x0000000D, 0x6F677948, 0x656E6975, 0x6E65476E}},
                    {{1, 0}, {0x00900F02, 0x00100800, 0x74D83209 | osxsave, 0x178BFBFF}},
                    {{7, 0}, {0, 0x009C01A9, 0, 0}},
                    {{0x80000000, 0}, {0x8000001F, 0x6F677948, 0x656E6975, 0x6E65476E}},
                    {{0x80000001, 0}, {0x00900F02, 0x60000000, 0x35C233FF, 0x2FD3FBFF}},
                    {{0x80000002, 0}, {0x6F677948, 0x3843206E, 0x31332036, 0x20203538}},
                    {{0x80000003, 0}, {0x6F632D38, 0x50206572, 0x65636F72, 0x726F7373}},
                    {{0x80000004, 0}, {0x20202020, 0x20202020, 0x20202020, 0x00202020}}},
                   kYmm);
}

// Zhaoxin KaiXian KX-U6780A, made from its flags in /proc/cpuinfo (as posted to linux-kernel): AVX,
// F16C, BMI1 and BMI2, but neither AVX2 nor FMA. The vendor is the one that newer parts give.
inline FakeCpuid zhaoxin() {
  return FakeCpuid({{{0, 0}, {0x0000000D, 0x68532020, 0x20206961, 0x68676E61}},
                    {{1, 0}, {0x000107B0, 0x00080800, 0x7EDA63EB, 0xBFCBFBFF}},
                    {{7, 0}, {0, 0x0000018B, 0, 0}},
                    {{0x80000000, 0}, {0x80000008, 0x68532020, 0x20206961, 0x68676E61}},
                    {{0x80000001, 0}, {0, 0, 0x00000121, 0x2C100800}}},
                   kYmm);
}

}  // namespace dsbuild::cpu
