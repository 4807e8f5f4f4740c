#include "probe/machine.h"

#include <algorithm>
#include <array>

#include "probe/fact_json.h"

namespace dsbuild::probe {
namespace {

struct StateName {
  ToolchainState state;
  const char* name;
};
constexpr std::array<StateName, 3> kStates{{{ToolchainState::complete, "complete"},
                                            {ToolchainState::partial, "partial"},
                                            {ToolchainState::absent, "absent"}}};

}  // namespace

// One list of members for each type makes its JSON and reads it; a member that isn't there keeps
// its default.
void to_json(Json& json, const ToolchainState& state) {
  json = state_name(state);
}
void from_json(const Json& json, ToolchainState& state) {
  const auto row = std::find_if(kStates.begin(), kStates.end(),
                                [&](const StateName& candidate) { return json == candidate.name; });
  if (row == kStates.end()) throw std::invalid_argument(json.dump() + " is no toolchain's state");
  state = row->state;
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Host, os, kernel, libc, machine, triple, memory,
                                                cpus)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Cpu, model, features, level)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Device, accelerator, address, id, chip, arch, name,
                                                driver, driver_version, memory, numa_node, parts,
                                                problem, fix, disagreements)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Toolchain, id, kind, path, state, missing, version,
                                                archs, all_archs, values, host_limits, origin,
                                                demanded, identity)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Tool, name, path, version)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TrialResult, ok, message)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Folder, path, version)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Machine, host, cpu, accelerators, devices,
                                                toolchains, tools, packages, trials)

const char* state_name(ToolchainState state) {
  for (const StateName& row : kStates) {
    if (row.state == state) return row.name;
  }
  return "";
}

const Tool* Machine::find_tool(std::string_view name) const {
  const auto found = std::find_if(tools.begin(), tools.end(),
                                  [name](const Tool& tool) { return tool.name == name; });
  return found == tools.end() ? nullptr : &*found;
}

// What not every command needs stands beside the rest, and is there only where it was looked for.
Json to_json(const Machine& machine) {
  Json json = machine;
  if (!machine.torches.empty()) json["torches"] = to_json(machine.torches);
  if (!machine.folders.empty()) json["folders"] = machine.folders;
  if (!machine.sources.empty()) json["sources"] = to_json(machine.sources);
  if (!machine.visible.empty()) json["visible"] = to_json(machine.visible);
  if (machine.survey) json.update(to_json(*machine.survey));
  if (!machine.problems.empty()) json["problems"] = machine.problems;
  return json;
}

Machine parse_machine(const Json& json) {
  auto machine = json.get<Machine>();
  if (json.contains("torches")) machine.torches = parse_torches(json.at("torches"));
  if (json.contains("folders"))
    machine.folders = json.at("folders").get<std::map<std::string, Folder>>();
  if (json.contains("sources")) machine.sources = parse_source_reports(json.at("sources"));
  if (json.contains("visible")) machine.visible = parse_visible_devices(json.at("visible"));
  if (json.contains(kSurveyMark)) machine.survey = parse_survey(json);
  if (json.contains("problems"))
    machine.problems = json.at("problems").get<std::vector<std::string>>();
  return machine;
}

}  // namespace dsbuild::probe
