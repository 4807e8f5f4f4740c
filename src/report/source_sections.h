// What vendors' libraries say of devices, as sections. Knows how it is told, not how it is asked.
#pragma once

#include <vector>

#include "probe/devices/device_source.h"
#include "report/document.h"

namespace dsbuild::report {

/// Power, energy and use of each device, then a row per source with its status and what mends it.
std::vector<Section> source_sections(const std::vector<probe::SourceReport>& reports);

}  // namespace dsbuild::report
