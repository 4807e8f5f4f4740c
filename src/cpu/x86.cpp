#include "cpu/x86.h"

#include <algorithm>
#include <cstring>

namespace dsbuild::cpu {
namespace {

std::string text_of(std::initializer_list<std::uint32_t> registers) {
  std::string text(registers.size() * 4, '\0');
  std::size_t at = 0;
  for (std::uint32_t value : registers) {
    std::memcpy(text.data() + at, &value, 4);
    at += 4;
  }
  return text;
}

std::string read_brand(const Cpuid& cpuid, std::uint32_t max_extended) {
  if (max_extended < 0x80000004) return {};
  std::string brand;
  for (std::uint32_t leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const CpuidRegisters r = cpuid.leaf(leaf, 0);
    brand += text_of({r.eax, r.ebx, r.ecx, r.edx});
  }
  brand.resize(std::min(brand.find('\0'), brand.size()));
  const std::size_t begin = brand.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return brand.substr(begin, brand.find_last_not_of(' ') + 1 - begin);
}

// Intel SDM volume 2A, CPUID, "Version Information": the extended parts count only for these
// families.
void read_version(std::uint32_t eax, Cpu& cpu) {
  cpu.stepping = static_cast<int>(eax & 0xF);
  cpu.model = static_cast<int>(eax >> 4 & 0xF);
  cpu.family = static_cast<int>(eax >> 8 & 0xF);
  if (cpu.family == 0x6 || cpu.family == 0xF) cpu.model += static_cast<int>(eax >> 16 & 0xF) << 4;
  if (cpu.family == 0xF) cpu.family += static_cast<int>(eax >> 20 & 0xFF);
}

bool has_bit(const CpuidRegisters& r, const Feature& feature) {
  using Where = Feature::Where;
  const std::uint32_t word = feature.where == Where::eax   ? r.eax
                             : feature.where == Where::ebx ? r.ebx
                             : feature.where == Where::ecx ? r.ecx
                                                           : r.edx;
  return (word >> feature.bit & 1) != 0;
}

}  // namespace

Cpu read_x86(const Cpuid& cpuid) {
  Cpu cpu;
  cpu.isa = Isa::x86_64;
  const CpuidRegisters basic = cpuid.leaf(0, 0);
  cpu.vendor = text_of({basic.ebx, basic.edx, basic.ecx});
  const std::uint32_t max_extended = cpuid.leaf(0x80000000, 0).eax;
  cpu.brand = read_brand(cpuid, max_extended);
  const CpuidRegisters version = cpuid.leaf(1, 0);
  read_version(version.eax, cpu);

  const bool os_xsave = (version.ecx >> 27 & 1) != 0;
  const std::uint64_t saved = os_xsave ? cpuid.xcr0() : 0;
  const std::uint32_t max_subleaf_7 = basic.eax >= 7 ? cpuid.leaf(7, 0).eax : 0;
  CpuidRegisters r = version;
  std::uint32_t leaf = 1;
  std::uint32_t subleaf = 0;
  for (std::size_t i = 0; i < features().size(); ++i) {
    const Feature& feature = features()[i];
    if (feature.isa != Isa::x86_64) continue;
    if (feature.leaf > (feature.leaf >= 0x80000000 ? max_extended : basic.eax)) continue;
    if (feature.leaf == 7 && feature.subleaf > max_subleaf_7) continue;
    // CPUID traps in a virtual machine, and the table has rows of a leaf together.
    if (feature.leaf != leaf || feature.subleaf != subleaf) {
      leaf = feature.leaf;
      subleaf = feature.subleaf;
      r = cpuid.leaf(leaf, subleaf);
    }
    if (!has_bit(r, feature)) continue;
    cpu.present |= FeatureSet{1} << i;
    if ((saved & feature.state) == feature.state) cpu.usable |= FeatureSet{1} << i;
  }
  return cpu;
}

}  // namespace dsbuild::cpu
