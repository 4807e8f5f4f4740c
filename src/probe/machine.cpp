#include "probe/machine.h"

#include <algorithm>

#include "base/json.h"

namespace dsbuild::probe {
namespace {

Json value_json(const std::string& value) {
  return value;
}
Json value_json(std::int64_t value) {
  return value;
}
Json value_json(const std::vector<std::string>& value) {
  return value;
}
Json value_json(const Version& value) {
  return value.number();
}

/// A value with its source, or the reason why there is none.
template <typename T>
Json fact_json(const Fact<T>& fact) {
  Json json = Json::object();
  if (fact) {
    json["value"] = value_json(*fact);
  } else {
    json["reason"] = fact.reason;
  }
  if (!fact.source.empty()) json["source"] = fact.source;
  return json;
}

Json host_json(const Host& host) {
  return {{"os", fact_json(host.os)},         {"kernel", fact_json(host.kernel)},
          {"libc", fact_json(host.libc)},     {"machine", fact_json(host.machine)},
          {"triple", fact_json(host.triple)}, {"memory", fact_json(host.memory)},
          {"cpus", fact_json(host.cpus)}};
}

Json device_json(const Device& device) {
  return {{"accelerator", device.accelerator},
          {"address", device.address},
          {"id", device.id},
          {"chip", device.chip},
          {"arch", fact_json(device.arch)}};
}

Json toolchain_json(const Toolchain& toolchain) {
  Json limits = Json::object();
  for (const auto& [kind, range] : toolchain.host_limits) limits[kind] = range.text();
  return {{"id", toolchain.id},
          {"kind", toolchain.kind},
          {"path", toolchain.path},
          {"state", state_name(toolchain.state)},
          {"missing", toolchain.missing},
          {"version", fact_json(toolchain.version)},
          {"archs", toolchain.all_archs ? Json("all") : Json(toolchain.archs)},
          {"values", toolchain.values},
          {"host_limits", limits},
          {"origin", toolchain.origin},
          {"demanded", toolchain.demanded},
          {"identity", toolchain.identity}};
}

Json tool_json(const Tool& tool) {
  return {
      {"name", tool.name}, {"path", fact_json(tool.path)}, {"version", fact_json(tool.version)}};
}

template <typename T>
Json list_json(const std::vector<T>& items, Json (*to)(const T&)) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(to(item));
  return list;
}

}  // namespace

const char* state_name(ToolchainState state) {
  switch (state) {
    case ToolchainState::complete:
      return "complete";
    case ToolchainState::partial:
      return "partial";
    case ToolchainState::absent:
      return "absent";
  }
  return "";
}

const Tool* Machine::find_tool(std::string_view name) const {
  const auto found = std::find_if(tools.begin(), tools.end(),
                                  [name](const Tool& tool) { return tool.name == name; });
  return found == tools.end() ? nullptr : &*found;
}

Json to_json(const Machine& machine) {
  Json packages = Json::object();
  for (const auto& [name, version] : machine.packages) packages[name] = fact_json(version);
  Json trials = Json::object();
  for (const auto& [key, trial] : machine.trials) {
    trials[key] = {{"ok", trial.ok}, {"message", trial.message}};
  }
  return {{"host", host_json(machine.host)},
          {"cpu",
           {{"model", fact_json(machine.cpu.model)},
            {"features", fact_json(machine.cpu.features)},
            {"level", fact_json(machine.cpu.level)}}},
          {"accelerators", to_json(machine.accelerators)},
          {"devices", list_json(machine.devices, device_json)},
          {"toolchains", list_json(machine.toolchains, toolchain_json)},
          {"tools", list_json(machine.tools, tool_json)},
          {"packages", packages},
          {"trials", trials}};
}

}  // namespace dsbuild::probe
