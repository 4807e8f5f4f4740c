#include "report/accelerator_section.h"

#include "base/text.h"

namespace dsbuild::report {
namespace {

using probe::AcceleratorState;
using probe::Presence;

Cell detected_cell(const AcceleratorState& state) {
  return {presence_name(state.detected),
          state.detected == Presence::yes ? Tone::good : Tone::plain};
}

Cell usable_cell(const AcceleratorState& state) {
  return state.toolchain ? Cell{"yes", Tone::good} : Cell{"no"};
}

std::string found_by(const AcceleratorState& state) {
  return state.detected == Presence::yes ? state.rule : state.reason;
}

std::string compiled_by(const AcceleratorState& state) {
  return state.toolchain ? *state.toolchain : state.toolchain.reason;
}

void add_state(Section& section, const AcceleratorState& state) {
  section.rows.push_back(
      {{state.name}, detected_cell(state), usable_cell(state), {found_by(state)}});
  section.rows.push_back({{""}, {""}, {""}, {compiled_by(state), Tone::dim}});
}

Section new_section() {
  return {"accelerators", {"name", "detected", "usable", "by, or why not"}, {}, {}};
}

std::string chosen_text(const probe::AcceleratorStates& states) {
  const Fact<std::string>& chosen = states.chosen;
  if (!chosen) {
    return "a program would take none here: " +
           (chosen.source.empty() ? "" : chosen.source + ": ") + chosen.reason;
  }
  return "a program would take " + *chosen + " here: " + chosen.source;
}

}  // namespace

Section accelerator_section(const probe::AcceleratorStates& states) {
  Section section = new_section();
  std::vector<std::string> others;
  for (const AcceleratorState& state : states.list) {
    if (!state.counts()) {
      others.push_back(state.name);
      continue;
    }
    const std::string by = state.detected == Presence::yes ? state.rule : compiled_by(state);
    section.rows.push_back({{state.name}, detected_cell(state), usable_cell(state), {by}});
  }
  if (states.list.empty()) return section;
  section.notes.push_back(chosen_text(states));
  if (!others.empty()) {
    section.notes.push_back("neither: " + join(others, ", ") +
                            " (dsbuild report --accelerators says why)");
  }
  return section;
}

Document make_accelerators_report(const probe::AcceleratorStates& states) {
  Section found = new_section();
  Section programs{
      "for programs", {"name", "torch", "communication", "dtypes", "variables"}, {}, {}};
  for (const AcceleratorState& state : states.list) {
    add_state(found, state);
    const manifest::RuntimeFacts& runtime = state.runtime;
    std::vector<std::string> variables;
    if (!runtime.visible_devices.empty()) variables.push_back(runtime.visible_devices);
    for (const std::string& prefix : runtime.exports) variables.push_back(prefix + "*");
    programs.rows.push_back({{state.name},
                             {join(runtime.torch, " ")},
                             {join(runtime.communication, " ")},
                             {join(runtime.dtypes, " ")},
                             {join(variables, " ")}});
  }
  found.notes = {chosen_text(states), "looked for in this order; DS_ACCELERATOR beats it"};
  programs.notes = {
      "variables: the one that chooses devices, then those that other nodes must get"};
  return {"", {found, programs}};
}

}  // namespace dsbuild::report
