#include "probe/accelerators/accelerator_state.h"

#include <algorithm>
#include <array>

#include "probe/fact_json.h"

namespace dsbuild::manifest {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RuntimeFacts, torch, communication, visible_devices,
                                                exports, dtypes)

}  // namespace dsbuild::manifest

namespace dsbuild::probe {
namespace {

struct PresenceRow {
  Presence presence;
  const char* name;
};
constexpr std::array<PresenceRow, 3> kPresences{
    {{Presence::no, "no"}, {Presence::yes, "yes"}, {Presence::unknown, "unknown"}}};

}  // namespace

const char* presence_name(Presence presence) {
  for (const PresenceRow& row : kPresences) {
    if (row.presence == presence) return row.name;
  }
  return "";
}

void to_json(Json& json, const Presence& presence) {
  json = presence_name(presence);
}
void from_json(const Json& json, Presence& presence) {
  const auto row = std::find_if(kPresences.begin(), kPresences.end(),
                                [&](const PresenceRow& r) { return json == r.name; });
  if (row == kPresences.end()) throw std::invalid_argument(json.dump() + " is no presence");
  presence = row->presence;
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AcceleratorState, name, detected, rule, reason,
                                                toolchain, kinds, runtime, aliases, driver,
                                                driver_level)
void to_json(Json& json, const AcceleratorStates& states) {
  json = {{"chosen", states.chosen}, {"order", states.list}};
}
void from_json(const Json& json, AcceleratorStates& states) {
  states.chosen = json.value("chosen", Fact<std::string>());
  states.list = json.value("order", std::vector<AcceleratorState>());
}

Json to_json(const AcceleratorStates& states) {
  Json json;
  to_json(json, states);
  return json;
}

}  // namespace dsbuild::probe
