// Which PTX versions ptxas and clang write and read. Knows two vendors' release tables, nothing of
// the machine.
#pragma once

#include <optional>
#include <string>

#include "base/version.h"

namespace dsbuild::probe {

/// The PTX version of a CUDA release: {8, 5} of 12.5. Computed, so that a release that is not out
/// yet has one: https://docs.nvidia.com/cuda/parallel-thread-execution/#release-notes.
Version ptx_of_cuda(const Version& release);

/// The first CUDA release whose driver loads a PTX version: 12.5 of {8, 5}. The inverse of the
/// above.
Version cuda_of_ptx(const Version& ptx);

/// The newest PTX version that a clang writes; empty for one that is newer than the table, which
/// bounds nothing (clang ignores a version that it doesn't know, with a warning).
std::optional<Version> ptx_of_clang(const Version& clang);

/// "ptx85" of {8, 5}: how clang's --cuda-feature=+ptx85 spells it.
std::string render_ptx(const Version& ptx);

}  // namespace dsbuild::probe
