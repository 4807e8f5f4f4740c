// Which skipped items the user named, so that the build must not go on without them.
// Knows names and reasons; the table of these decisions is in docs/plan.md.
#pragma once

#include "plan/draft.h"

namespace dsbuild::plan {

void mark_required(Draft& draft);

}  // namespace dsbuild::plan
