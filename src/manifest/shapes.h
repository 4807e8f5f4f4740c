// The shapes of words in manifests and descriptors: which characters a symbol, a macro or a
// program's name may have. Knows no key.
#pragma once

#include <algorithm>
#include <string_view>

namespace dsbuild::manifest {

/// Characters are listed as they are; 'a', 'A' and '0' stand for all small letters, all capital
/// letters and all digits.
struct Shape {
  std::string_view what;   ///< "C identifier"
  std::string_view first;  ///< what may come first
  std::string_view rest;   ///< what may follow
  std::string_view example;
};

inline constexpr Shape kSymbol{"symbol", "aA_", "aA0_", "my_kernel"};
inline constexpr Shape kMacro{"macro name", "aA_", "aA0_", "HEAD_DIM"};
inline constexpr Shape kInstanceValue{"value of an instance", "aA0_-", "aA0_.", "64"};
inline constexpr Shape kLibrary{"library name", "aA0_", "aA0_.+-", "aio (as in -laio)"};
inline constexpr Shape kHeader{"header", "aA0_", "aA0_.+-/", "cutlass/cutlass.h"};
inline constexpr Shape kCommand{"command name", "aA0_", "aA0_.+-", "git"};
inline constexpr Shape kPackage{"package name", "aA0_", "aA0_.+-", "liburing"};
inline constexpr Shape kMachine{"host machine", "a", "a0_", "x86_64"};
inline constexpr Shape kWord{"name", "a", "a0_", "my_op: small letters, digits and _"};
inline constexpr Shape kKind{"kind of toolchain", "a", "a0_+-", "clang-ptxas"};
inline constexpr Shape kForm{"form", "a", "a0", "cubin"};
inline constexpr Shape kSuffix{"file suffix", ".", "aA0.", ".cu"};
inline constexpr Shape kVariable{"environment variable", "aA_", "aA0_", "TOOLKIT_HOME"};
inline constexpr Shape kModule{"Python module", "aA_", "aA0_.", "my_package.my_ext"};
inline constexpr Shape kFileName{"file name", "aA0_", "aA0_.+-", "canary.cu"};

constexpr bool shape_has(std::string_view characters, char c) {
  return std::any_of(characters.begin(), characters.end(), [c](char one) {
    return one == 'a'   ? c >= 'a' && c <= 'z'
           : one == 'A' ? c >= 'A' && c <= 'Z'
           : one == '0' ? c >= '0' && c <= '9'
                        : c == one;
  });
}

constexpr bool has_shape(std::string_view text, const Shape& shape) {
  return !text.empty() && shape_has(shape.first, text.front()) &&
         std::all_of(text.begin() + 1, text.end(),
                     [&](char c) { return shape_has(shape.rest, c); });
}

}  // namespace dsbuild::manifest
