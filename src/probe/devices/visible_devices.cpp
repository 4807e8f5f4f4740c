#include "probe/devices/visible_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "probe/fact_json.h"
#include "probe/machine.h"

namespace dsbuild::probe {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(VisibleDevices, variable, value, accelerator,
                                                visible, hidden, note)

namespace {

/// A device as a variable may name it.
struct Candidate {
  std::string address;
  std::vector<std::string> uuids;  ///< its own, then those of its parts
};

void add_uuid(const Fact<std::string>& uuid, std::vector<std::string>& uuids) {
  if (uuid) uuids.push_back(to_lower(*uuid));
}

/// The accelerator's devices in the order in which its programs count them.
std::vector<Candidate> find_candidates(const Machine& machine, const std::string& accelerator,
                                       std::string& note) {
  std::vector<Candidate> list;
  const auto add = [&list](const std::string& address) {
    const bool known = std::any_of(list.begin(), list.end(), [&](const Candidate& candidate) {
      return candidate.address == address;
    });
    if (!known && !address.empty()) list.push_back({address, {}});
  };
  for (const SourceReport& report : machine.sources) {
    // The others count by address or by nothing.
    if (report.id != "nvidia/cuda" || report.status != "ok") continue;
    for (const SourceDevice& device : report.devices) {
      if (device.accelerator == accelerator) add(device.address);
    }
  }
  if (list.empty()) note = "counted by address";
  for (const Device& device : machine.devices) {
    if (device.accelerator == accelerator) add(device.address);
  }
  for (const SourceReport& report : machine.sources) {
    for (const SourceDevice& device : report.devices) {
      for (Candidate& candidate : list) {
        if (candidate.address != device.address) continue;
        add_uuid(device.uuid, candidate.uuids);
        if (!device.parts) continue;
        for (const DevicePart& part : *device.parts) add_uuid(part.uuid, candidate.uuids);
      }
    }
  }
  return list;
}

/// "1", "1.0" (a tile), "GPU-8f3b", "MIG-…", "MIG-GPU-…/1/0".
std::optional<std::size_t> find_named(const std::vector<Candidate>& list, std::string word) {
  if (!word.empty() && word[0] >= '0' && word[0] <= '9') {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    const bool whole = end == word.data() + word.size() || *end == '.';
    if (error != std::errc() || !whole || index >= list.size()) return std::nullopt;
    return index;
  }
  word = to_lower(word);
  if (word.starts_with("mig-gpu-")) word = word.substr(4, word.find('/') - 4);
  if (!word.starts_with("gpu-") && !word.starts_with("mig-")) return std::nullopt;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const std::string& uuid : list[i].uuids) {
      if (uuid.starts_with(word)) return i;
    }
  }
  return std::nullopt;
}

VisibleDevices apply(const VisibleVariable& variable, const std::string& value,
                     const Machine& machine) {
  VisibleDevices result{variable.name, value, variable.accelerator, {}, {}, {}};
  const std::vector<Candidate> list = find_candidates(machine, variable.accelerator, result.note);
  std::vector<bool> visible(list.size(), false);
  for (const std::string& item : split(value, ",")) {
    const std::string word(trim(item));
    const auto index = find_named(list, word);
    if (!index) {
      result.note = fmt::format("'{}' is no device that is known here; it ends the list", word);
      break;
    }
    if (!visible[*index]) result.visible.push_back(list[*index].address);
    visible[*index] = true;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!visible[i]) result.hidden.push_back(list[i].address);
  }
  return result;
}

}  // namespace

Json to_json(const std::vector<VisibleDevices>& list) {
  Json json = Json::array();
  for (const VisibleDevices& item : list) json.push_back(item);
  return json;
}

std::vector<VisibleDevices> parse_visible_devices(const Json& json) {
  return json.get<std::vector<VisibleDevices>>();
}

/// These hide no device, but change what it says that it is.
/// https://rocm.docs.amd.com/en/latest/reference/env-variables.html
const std::array<VisibleVariable, 1> kArchOverrides{{{"HSA_OVERRIDE_GFX_VERSION", "rocm"}}};

std::vector<VisibleVariable> visible_variables(const AcceleratorStates& accelerators) {
  std::vector<VisibleVariable> list;
  for (const AcceleratorState& state : accelerators.list) {
    if (!state.runtime.visible_devices.empty())
      list.push_back({state.runtime.visible_devices, state.name});
  }
  // Below HIP's own, which then counts what this one left.
  // https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html
  list.push_back({"ROCR_VISIBLE_DEVICES", "rocm"});
  return list;
}

std::vector<VisibleDevices> find_visible_devices(const System& system, const Machine& machine) {
  std::vector<VisibleDevices> list;
  for (const VisibleVariable& variable : kArchOverrides) {
    VisibleDevices item{variable.name,
                        system.env(variable.name).value_or(""),
                        variable.accelerator,
                        {},
                        {},
                        "programs take them for another arch than builds do"};
    for (const Device& device : machine.devices) {
      if (device.accelerator == variable.accelerator) item.visible.push_back(device.address);
    }
    if (!item.value.empty() && !item.visible.empty()) list.push_back(std::move(item));
  }
  for (const VisibleVariable& variable : visible_variables(machine.accelerators)) {
    // Set and empty hides everything, which env() doesn't tell from not set.
    const auto found = system.environment().find(variable.name);
    const bool matters = std::any_of(
        machine.devices.begin(), machine.devices.end(),
        [&](const Device& device) { return device.accelerator == variable.accelerator; });
    if (matters && found != system.environment().end())
      list.push_back(apply(variable, found->second, machine));
  }
  return list;
}

}  // namespace dsbuild::probe
