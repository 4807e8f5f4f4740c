#include <array>

#include "cpu/cpu.h"

namespace dsbuild::cpu {
namespace {

using Where = Feature::Where;
constexpr Isa X = Isa::x86_64;
constexpr Isa A = Isa::aarch64;
constexpr Where B = Where::ebx, C = Where::ecx, D = Where::edx;
constexpr std::uint32_t kExtended = 0x80000001;

// x86: Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E. XCR0: SDM volume 1, 13.3.
// BMI1, BMI2 and LZCNT work on general registers, so they need no saved vector state.
constexpr std::array kFeatures = std::to_array<Feature>({
    {X, "fpu", 1, 0, D, 0},
    {X, "cx8", 1, 0, D, 8},
    {X, "cmov", 1, 0, D, 15},
    {X, "mmx", 1, 0, D, 23},
    {X, "fxsr", 1, 0, D, 24},
    {X, "sse", 1, 0, D, 25},
    {X, "sse2", 1, 0, D, 26},
    {X, "sse3", 1, 0, C, 0},
    {X, "pclmul", 1, 0, C, 1},
    {X, "ssse3", 1, 0, C, 9},
    {X, "fma", 1, 0, C, 12, Feature::ymm},
    {X, "cx16", 1, 0, C, 13},
    {X, "sse4_1", 1, 0, C, 19},
    {X, "sse4_2", 1, 0, C, 20},
    {X, "movbe", 1, 0, C, 22},
    {X, "popcnt", 1, 0, C, 23},
    {X, "aes", 1, 0, C, 25},
    {X, "avx", 1, 0, C, 28, Feature::ymm},
    {X, "f16c", 1, 0, C, 29, Feature::ymm},
    {X, "bmi1", 7, 0, B, 3},
    {X, "avx2", 7, 0, B, 5, Feature::ymm},
    {X, "bmi2", 7, 0, B, 8},
    {X, "avx512f", 7, 0, B, 16, Feature::zmm},
    {X, "avx512dq", 7, 0, B, 17, Feature::zmm},
    {X, "adx", 7, 0, B, 19},
    {X, "avx512_ifma", 7, 0, B, 21, Feature::zmm},
    {X, "avx512cd", 7, 0, B, 28, Feature::zmm},
    {X, "sha", 7, 0, B, 29},
    {X, "avx512bw", 7, 0, B, 30, Feature::zmm},
    {X, "avx512vl", 7, 0, B, 31, Feature::zmm},
    {X, "avx512_vbmi", 7, 0, C, 1, Feature::zmm},
    {X, "avx512_vbmi2", 7, 0, C, 6, Feature::zmm},
    {X, "gfni", 7, 0, C, 8},
    {X, "vaes", 7, 0, C, 9, Feature::ymm},
    {X, "vpclmulqdq", 7, 0, C, 10, Feature::ymm},
    {X, "avx512_vnni", 7, 0, C, 11, Feature::zmm},
    {X, "avx512_bitalg", 7, 0, C, 12, Feature::zmm},
    {X, "avx512_vpopcntdq", 7, 0, C, 14, Feature::zmm},
    {X, "amx_bf16", 7, 0, D, 22, Feature::tile},
    {X, "avx512_fp16", 7, 0, D, 23, Feature::zmm},
    {X, "amx_tile", 7, 0, D, 24, Feature::tile},
    {X, "amx_int8", 7, 0, D, 25, Feature::tile},
    {X, "avx_vnni", 7, 1, Where::eax, 4, Feature::ymm},
    {X, "avx512_bf16", 7, 1, Where::eax, 5, Feature::zmm},
    {X, "lahf_sahf", kExtended, 0, C, 0},
    {X, "lzcnt", kExtended, 0, C, 5},
    // aarch64: https://docs.kernel.org/arch/arm64/elf_hwcaps.html, bits of asm/hwcap.h.
    {A, "fp", 0, 0, Where::hwcap, 0},
    {A, "asimd", 0, 0, Where::hwcap, 1},
    {A, "aes", 0, 0, Where::hwcap, 3},
    {A, "crc32", 0, 0, Where::hwcap, 7},
    {A, "atomics", 0, 0, Where::hwcap, 8},
    {A, "fphp", 0, 0, Where::hwcap, 9},
    {A, "asimdhp", 0, 0, Where::hwcap, 10},
    {A, "asimdrdm", 0, 0, Where::hwcap, 12},
    {A, "asimddp", 0, 0, Where::hwcap, 20},
    {A, "sve", 0, 0, Where::hwcap, 22},
    {A, "sve2", 0, 0, Where::hwcap2, 1},
    {A, "i8mm", 0, 0, Where::hwcap2, 13},
    {A, "bf16", 0, 0, Where::hwcap2, 14},
});
static_assert(kFeatures.size() <= 64, "FeatureSet has 64 bits");

constexpr FeatureSet bit_of(Isa isa, std::string_view name) {
  for (std::size_t i = 0; i < kFeatures.size(); ++i) {
    if (kFeatures[i].isa == isa && kFeatures[i].name == name) return FeatureSet{1} << i;
  }
  return 0;
}

// Calls take(name) for each name of a text with blanks between them.
template <typename Take>
constexpr void for_each_name(std::string_view text, Take take) {
  constexpr std::string_view kBlanks = " \t\n";
  while (true) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin);
    const std::size_t length = std::min(text.find_first_of(kBlanks), text.size());
    take(text.substr(0, length));
    text.remove_prefix(length);
  }
}

consteval FeatureSet needs(Isa isa, FeatureSet below, std::string_view more) {
  for_each_name(more, [&](std::string_view name) {
    const FeatureSet bit = bit_of(isa, name);
    if (bit == 0) throw "a level names a feature that the table lacks";
    below |= bit;
  });
  return below;
}

// https://gitlab.com/x86-psABIs/x86-64-ABI, table 3.1. SCE and OSFXSR are implied by 64-bit mode,
// OSXSAVE by the saved state that each AVX feature asks for.
constexpr FeatureSet kV1 = needs(X, 0, "fpu cx8 cmov mmx fxsr sse sse2");
constexpr FeatureSet kV2 = needs(X, kV1, "cx16 lahf_sahf popcnt sse3 sse4_1 sse4_2 ssse3");
constexpr FeatureSet kV3 = needs(X, kV2, "avx avx2 bmi1 bmi2 f16c fma lzcnt movbe");
constexpr FeatureSet kV4 = needs(X, kV3, "avx512f avx512bw avx512cd avx512dq avx512vl");

constexpr std::array kLevels = std::to_array<Level>({
    {X, "x86-64-v1", kV1},
    {X, "x86-64-v2", kV2},
    {X, "x86-64-v3", kV3},
    {X, "x86-64-v4", kV4},
    {A, "armv8-a", needs(A, 0, "fp asimd")},
});

}  // namespace

std::span<const Feature> features() {
  return kFeatures;
}

std::span<const Level> levels() {
  return kLevels;
}

const Level* best_level(Isa isa, FeatureSet usable) {
  const Level* best = nullptr;
  for (const Level& level : kLevels) {
    if (level.isa == isa && (level.needs & ~usable) == 0) best = &level;
  }
  return best;
}

const Level* find_level(std::string_view name) {
  for (const Level& level : kLevels) {
    if (level.name == name) return &level;
  }
  return nullptr;
}

std::vector<std::string_view> names(FeatureSet set) {
  std::vector<std::string_view> result;
  for (std::size_t i = 0; i < kFeatures.size(); ++i) {
    if ((set >> i & 1) != 0) result.push_back(kFeatures[i].name);
  }
  return result;
}

std::string render_features(FeatureSet set) {
  std::string text;
  for (std::string_view name : names(set)) {
    if (!text.empty()) text += ' ';
    text += name;
  }
  return text;
}

ParsedFeatures parse_features(Isa isa, std::string_view text) {
  ParsedFeatures result;
  for_each_name(text, [&](std::string_view name) {
    const FeatureSet bit = bit_of(isa, name);
    if (bit == 0) result.unknown.push_back(name);
    result.set |= bit;
  });
  return result;
}

}  // namespace dsbuild::cpu
