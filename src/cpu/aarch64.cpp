#include "cpu/aarch64.h"

namespace dsbuild::cpu {

Cpu read_aarch64(std::uint64_t hwcap, std::uint64_t hwcap2) {
  Cpu cpu;
  cpu.isa = Isa::aarch64;
  for (std::size_t i = 0; i < features().size(); ++i) {
    const Feature& feature = features()[i];
    if (feature.isa != Isa::aarch64) continue;
    const std::uint64_t word = feature.where == Feature::Where::hwcap2 ? hwcap2 : hwcap;
    if ((word >> feature.bit & 1) != 0) cpu.present |= FeatureSet{1} << i;
  }
  cpu.usable = cpu.present;
  return cpu;
}

}  // namespace dsbuild::cpu
