// Request and catalog -> items: everything that was asked about, each planned with its toolchain or
// skipped with its reason. Knows which files an op becomes; nothing of commands.
#pragma once

#include "plan/draft.h"

namespace dsbuild::plan {

/// Fills `draft.targets` and `draft.items`, anew when called again.
void make_items(Draft& draft);

}  // namespace dsbuild::plan
