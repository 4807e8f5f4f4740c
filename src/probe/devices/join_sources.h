// How what several sources say of a device becomes one set of facts. Knows no source.
#pragma once

#include <vector>

#include "probe/devices/source_report.h"
#include "probe/machine.h"

namespace dsbuild::probe {

/// Facts of the devices from the sources, by PCI address, else by a UUID for which another source
/// has an address. A value replaces one that is worth less (Confidence) or is missing; what the
/// two say differently is kept in the device's `disagreements`. A device that isn't on the bus is
/// kept in the report's, and a report whose status is "disagrees" gives nothing.
void join_sources(std::vector<SourceReport>& reports, std::vector<Device>& devices);

}  // namespace dsbuild::probe
