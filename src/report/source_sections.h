// What sources say of devices, and what variables hide of them, as sections. Knows how it is told,
// not how it is asked.
#pragma once

#include <vector>

#include "probe/devices/source_report.h"
#include "probe/devices/visible_devices.h"
#include "report/document.h"

namespace dsbuild::report {

/// Memory, parts, power, use and processes of each device, by all sources together, then a row per
/// source with its status and what mends it. An empty list is that of a machine whose sources were
/// not recorded.
std::vector<Section> source_sections(const std::vector<probe::SourceReport>& reports,
                                     bool recorded);

/// None where no variable hides anything.
std::vector<Section> visible_sections(const std::vector<probe::VisibleDevices>& list);

}  // namespace dsbuild::report
