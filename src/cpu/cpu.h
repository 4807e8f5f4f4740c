// Knows CPU features, the levels made of them, and what the CPU of this process can use.
// Does not know compilers, images or /proc; needs nothing but the C++ library.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsbuild::cpu {

/// Instruction sets that have features and levels here; `other` has none.
enum class Isa : std::uint8_t { x86_64, aarch64, other };

/// A set of features: bit i is row i of features().
using FeatureSet = std::uint64_t;

/// One CPU feature. Names are those of the x86-64 psABI and of Linux's HWCAP, in lower case.
struct Feature {
  /// Where the bit is: a register of a CPUID leaf, or one of the two words that aarch64 Linux
  /// gives.
  enum class Where : std::uint8_t { eax, ebx, ecx, edx, hwcap, hwcap2 };
  /// Registers that the operating system must save for the feature to be usable, as XCR0 bits.
  enum State : std::uint32_t { none = 0, ymm = 0x6, zmm = 0xE6, tile = 0x60000 };

  Isa isa;
  std::string_view name;
  std::uint32_t leaf;
  std::uint32_t subleaf;
  Where where;
  std::uint8_t bit;
  State state = none;
};

/// The one table of features.
std::span<const Feature> features();

/// A level: a name that compilers take for -march=, with all features that it needs.
struct Level {
  Isa isa;
  std::string_view name;
  FeatureSet needs;
};

/// The one table of levels, lowest first within an Isa.
std::span<const Level> levels();

/// What is known of a CPU.
struct Cpu {
  Isa isa = Isa::other;
  std::string vendor;  ///< as CPUID gives it, blanks and all; empty on aarch64
  std::string brand;   ///< trimmed; empty if CPUID has none
  int family = 0;
  int model = 0;
  int stepping = 0;
  FeatureSet present = 0;  ///< what the CPU says it has
  FeatureSet usable = 0;   ///< what of that the operating system lets a program use
};

/// The CPU that this process runs on.
Cpu find_cpu();

/// Highest level whose features are all in `usable`; nullptr if there is none.
const Level* best_level(Isa isa, FeatureSet usable);

/// Level of a name such as "x86-64-v3"; nullptr if there is no such level.
const Level* find_level(std::string_view name);

/// Names of the features in a set, in table order.
std::vector<std::string_view> names(FeatureSet set);

/// The same, separated by one space; the form that parse_features() reads.
std::string render_features(FeatureSet set);

/// A text of feature names separated by blanks, as a set and the names that no feature has.
struct ParsedFeatures {
  FeatureSet set = 0;
  std::vector<std::string_view> unknown;
};
ParsedFeatures parse_features(Isa isa, std::string_view text);

}  // namespace dsbuild::cpu
