// Canaries: a tiny source that each toolchain must compile before it is trusted with real ones.
// Knows what to try and what a failure means; runs nothing.
#pragma once

#include "plan/draft.h"

namespace dsbuild::plan {

/// Gives every planned item the canaries of its toolchains, one for each accelerator, toolchain and
/// form, and of host code for each arch. False when one of them has failed before: the chooser then
/// passes that toolchain over, and items must be made anew. One for an arch above the baseline that
/// has failed skips what is for that arch, and nothing else.
bool add_canaries(Draft& draft);

}  // namespace dsbuild::plan
