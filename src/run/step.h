// The step launcher: what `./step FILE` in a build folder does. It runs one command with a complete
// environment and no shell, keeps its output in a log, and looks into what it made.
// Knows one step; nothing of plans or of Ninja.
#pragma once

#include <filesystem>

namespace dsbuild::run {

/// Runs the step of `file` (relative to the current folder, which is the build folder) and returns
/// the exit code for Ninja. Events go to the pipe whose number is in DSBUILD_EVENTS, when there is
/// one.
int run_step(const std::filesystem::path& file);

}  // namespace dsbuild::run
