// The torches of a machine, as a section of a report. Knows how each is told, not how it is found.
#pragma once

#include <vector>

#include "probe/frameworks/torch.h"
#include "report/document.h"

namespace dsbuild::report {

/// The one that extensions are built for, and below it those that weren't taken.
Section torch_section(const std::vector<probe::Torch>& torches);

}  // namespace dsbuild::report
