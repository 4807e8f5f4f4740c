#include "probe/devices/source_report.h"

#include "probe/fact_json.h"

namespace dsbuild::probe {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DevicePart, id, uuid, name, memory)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProcessUse, pid, memory, utilization)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SourceDevice, accelerator, address, problem, uuid,
                                                name, arch, memory, memory_used, parts, power,
                                                energy, utilization, processes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SourceReport, id, status, message, fix, library,
                                                driver_version, api_version, devices, disagreements)

Json to_json(const std::vector<SourceReport>& reports) {
  Json list = Json::array();
  for (const SourceReport& report : reports) list.push_back(report);
  return list;
}

std::vector<SourceReport> parse_source_reports(const Json& json) {
  return json.get<std::vector<SourceReport>>();
}

void hide_identity(std::vector<SourceReport>& reports) {
  const auto hide = [](Fact<std::string>& uuid) {
    if (uuid) uuid = Fact<std::string>::missing("recorded only with --full", uuid.source);
  };
  for (SourceReport& report : reports) {
    for (SourceDevice& device : report.devices) {
      hide(device.uuid);
      if (device.parts) {
        for (DevicePart& part : *device.parts.value) hide(part.uuid);
      }
      device.processes = Fact<std::vector<ProcessUse>>::missing("recorded only with --full",
                                                                device.processes.source);
    }
  }
}

}  // namespace dsbuild::probe
