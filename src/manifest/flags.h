// Which compiler flags a manifest may hold: none that choose archs, outputs or programs, none that
// reach outside the op. Knows the flags of g++, clang, nvcc and linkers; no op.
#pragma once

#include <string>

#include "manifest/node.h"

namespace dsbuild::manifest {

/// Whether the word chooses archs, programs or outputs, which only the plan does.
bool is_chosen_by_plan(const std::string& word);

/// Tells of every flag in the list at `flags` that a manifest may not hold.
void check_flags(const Node& flags);

}  // namespace dsbuild::manifest
