// What vendors' libraries say of devices, as sections. Knows how it is told, not how it is asked.
#pragma once

#include <vector>

#include "probe/devices/source_report.h"
#include "report/document.h"

namespace dsbuild::report {

/// Power, energy and use of each device, then a row per source with its status and what mends it.
/// An empty list is that of a machine whose sources were not recorded.
std::vector<Section> source_sections(const std::vector<probe::SourceReport>& reports,
                                     bool recorded);

}  // namespace dsbuild::report
