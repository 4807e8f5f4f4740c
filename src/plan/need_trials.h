// What ops need that only a compiler can tell (headers, libraries, OpenMP), tried with the compiler
// and flags that the op's own sources get. Knows what to try and what a failure means; runs
// nothing.
#pragma once

#include "plan/draft.h"

namespace dsbuild::plan {

/// Gives every planned item the trials of what its op and its kernel set need, and skips those of
/// which a trial has failed before. Needs of the op are tried as its host sources are compiled,
/// headers that a kernel set needs as its own sources are; libraries and OpenMP are the host's in
/// both.
void add_need_trials(Draft& draft);

}  // namespace dsbuild::plan
