// One program that a step's compiler runs itself, as its stand-in: the result of an earlier run
// with equal words and equal contents of the files that they name, or the program's own. Knows one
// program's words; nothing of the compiler.
#pragma once

#include <optional>

namespace dsbuild::run {

/// The environment variable that tells a stand-in whose it is: the step's file, absolute.
inline constexpr const char* kPartVariable = "DSBUILD_PART_OF";

/// What a stand-in notes of what it did, a line each.
inline constexpr const char* kPartTaken = "taken";
inline constexpr const char* kPartMade = "made";
inline constexpr const char* kPartFailed = "failed";

/// Does what the program named argv[0] would; returns its exit code, nothing when this process is
/// no stand-in. Whatever is odd, the program itself is run in its place.
std::optional<int> run_part(int argc, char** argv);

}  // namespace dsbuild::run
