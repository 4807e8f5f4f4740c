#include "probe/accelerator_state.h"

#include "base/json.h"

namespace dsbuild::probe {
namespace {

Json text_fact(const Fact<std::string>& fact) {
  Json json = Json::object();
  json[fact ? "value" : "reason"] = fact ? *fact : fact.reason;
  if (!fact.source.empty()) json["source"] = fact.source;
  return json;
}

Json runtime_json(const manifest::RuntimeFacts& runtime) {
  return {{"torch", runtime.torch},
          {"communication", runtime.communication},
          {"visible_devices", runtime.visible_devices},
          {"exports", runtime.exports},
          {"dtypes", runtime.dtypes}};
}

Json state_json(const AcceleratorState& state) {
  Json json{{"name", state.name},
            {"detected", presence_name(state.detected)},
            {"toolchain", text_fact(state.toolchain)},
            {"kinds", state.kinds},
            {"runtime", runtime_json(state.runtime)}};
  if (state.detected == Presence::yes) {
    json["rule"] = state.rule;
  } else {
    json["reason"] = state.reason;
  }
  return json;
}

}  // namespace

const char* presence_name(Presence presence) {
  switch (presence) {
    case Presence::no:
      return "no";
    case Presence::yes:
      return "yes";
    case Presence::unknown:
      return "unknown";
  }
  return "";
}

Json to_json(const AcceleratorStates& states) {
  Json list = Json::array();
  for (const AcceleratorState& state : states.list) list.push_back(state_json(state));
  return {{"chosen", text_fact(states.chosen)}, {"order", list}};
}

}  // namespace dsbuild::probe
