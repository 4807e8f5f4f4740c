// Looks into what a step made: an exit status of 0 proves nothing.
// Knows files and images; nothing of the command that made them.
#pragma once

#include <filesystem>
#include <string>

#include "plan/step_file.h"

namespace dsbuild::run {

/// Why the outputs of `step` (relative to `folder`) can't be used; empty when they can: all are
/// there and not empty, the depfile too, and the first one holds the kernels.
std::string check_outputs(const plan::StepFile& step, const std::filesystem::path& folder);

/// Removes what a failed step left, so that it never counts as made.
void write_removal_of_outputs(const plan::StepFile& step, const std::filesystem::path& folder);

}  // namespace dsbuild::run
