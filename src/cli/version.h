// The version of this program.
#pragma once

namespace dsbuild::cli {

inline constexpr const char* kVersion = DSBUILD_VERSION;

}  // namespace dsbuild::cli
