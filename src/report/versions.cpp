#include "report/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"

namespace dsbuild::report {
namespace {

using probe::AcceleratorState;
using probe::Framework;
using probe::Toolchain;
using probe::ToolchainState;

/// Toolchains of the accelerator that are whole toolkits, by the order of their kinds.
std::vector<const Toolchain*> find_toolkits(const probe::Machine& machine,
                                            const AcceleratorState& state) {
  std::vector<const Toolchain*> toolkits;
  for (const std::string& kind : state.kinds) {
    for (const Toolchain& toolchain : machine.toolchains) {
      const bool has_one = toolchain.values.contains("toolkit") && toolchain.version;
      if (toolchain.kind == kind && has_one) toolkits.push_back(&toolchain);
    }
  }
  return toolkits;
}

/// torch/version.py says "cuda" or "hip": an accelerator's name or alias.
std::vector<Consumer> find_consumers(const probe::Machine& machine, const AcceleratorState& state) {
  std::vector<Consumer> consumers;
  if (!machine.survey) return consumers;
  std::vector<std::string> names = state.aliases;
  names.insert(names.begin(), state.name);
  for (const Framework& framework : machine.survey->frameworks) {
    for (const std::string& name : names) {
      const auto detail = framework.detail(name);
      const auto version = detail ? Version::parse(*detail) : std::nullopt;
      if (version) consumers.push_back({&framework, *version});
    }
  }
  return consumers;
}

std::string framework_name(const Framework& framework) {
  return fmt::format("{} {} ({})", framework.name, framework.version.value.value_or("?"),
                     framework.prefix);
}

std::string toolkit_name(const Toolchain& toolkit) {
  return fmt::format("{} at {}", toolkit.id, toolkit.path);
}

std::string driver_text(const AcceleratorState& state) {
  if (!state.driver) return state.driver.source + ": " + state.driver.reason;
  return state.driver.source + "; " +
         (state.driver_level ? fmt::format("runs {} and older, by its vendor's table",
                                           state.driver_level->number())
                             : "what it runs is not known: " + state.driver_level.reason);
}

/// What one form of images needs of the driver, and where it is not met.
struct Unmet {
  std::vector<std::string> archs;
  std::vector<std::string> toolchains;
};

void add_driver_findings(const Versions& versions, const plan::Plan& plan,
                         std::vector<Finding>& findings) {
  const AcceleratorState& state = *versions.accelerator;
  if (!state.driver_level) return;
  std::map<std::tuple<std::string, std::string>, Unmet> unmet;
  for (const plan::Entry& entry : plan.entries) {
    const auto need = entry.needs.find("driver");
    if (entry.accelerator != state.name || need == entry.needs.end()) continue;
    const auto range = VersionRange::parse(need->second);
    if (entry.state != plan::EntryState::planned || !range) continue;
    if (range->contains(*state.driver_level)) continue;
    Unmet& one = unmet[{entry.form, need->second}];
    const auto add = [](std::vector<std::string>& list, const std::string& item) {
      if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
    };
    add(one.archs, entry.arch);
    add(one.toolchains, entry.toolchain);
  }
  for (const auto& [key, one] : unmet) {
    const auto& [form, need] = key;
    findings.push_back(
        {Weight::warning,
         fmt::format("the driver {} runs {} {} and older; {} images of {} need {}",
                     state.driver->text, state.name, state.driver_level->number(), form,
                     join(one.toolchains, ", "), need),
         fmt::format("they can't be loaded here: {}", join(one.archs, ", ")),
         "install a newer driver, or build with an older toolkit (--toolkit KIND=DIR)"});
  }
}

void add_consumer_findings(const Versions& versions, std::vector<Finding>& findings) {
  if (versions.toolkits.empty()) return;
  const Toolchain& chosen = *versions.toolkits.front();
  for (const Consumer& consumer : versions.consumers) {
    const int major = consumer.built_with.major_part();
    if (chosen.version->major_part() == major) continue;
    const auto fits =
        std::find_if(versions.toolkits.begin(), versions.toolkits.end(), [&](const auto* toolkit) {
          return toolkit->version->major_part() == major &&
                 toolkit->state == ToolchainState::complete;
        });
    const std::string remedy =
        fits == versions.toolkits.end()
            ? fmt::format("install a toolkit of {}.x for them and name it: --toolkit {}=DIR", major,
                          chosen.kind)
            : fmt::format("for them take {}: --toolkit {}={}", toolkit_name(**fits), (*fits)->kind,
                          (*fits)->values.at("toolkit"));
    findings.push_back(
        {Weight::note,
         fmt::format("{} was built with {} {}, and the toolkit that is taken, {}, is another major",
                     framework_name(*consumer.framework), versions.accelerator->name,
                     consumer.built_with.number(), toolkit_name(chosen)),
         "sources that include its headers can't be built with that toolkit; library ops include "
         "none and are not touched",
         remedy});
  }
}

}  // namespace

std::vector<Versions> find_versions(const probe::Machine& machine) {
  std::vector<Versions> all;
  for (const AcceleratorState& state : machine.accelerators.list) {
    if (!state.counts()) continue;
    all.push_back({&state, find_toolkits(machine, state), find_consumers(machine, state)});
  }
  return all;
}

Section versions_section(const probe::Machine& machine) {
  Section section{"versions", {"accelerator", "of", "version", "where"}, {}, {}};
  for (const Versions& versions : find_versions(machine)) {
    const AcceleratorState& state = *versions.accelerator;
    if (!state.driver && versions.consumers.empty()) continue;
    section.rows.push_back({{state.name},
                            {"driver"},
                            {state.driver ? state.driver->text : "-"},
                            {driver_text(state)}});
    for (const Toolchain* toolkit : versions.toolkits) {
      section.rows.push_back({{""}, {"toolkit"}, {toolkit->version->number()}, {toolkit->path}});
    }
    for (const Consumer& consumer : versions.consumers) {
      section.rows.push_back({{""},
                              {consumer.framework->name},
                              {consumer.built_with.number()},
                              {framework_name(*consumer.framework) + " was built with it"}});
    }
  }
  return section;
}

void add_version_findings(const probe::Machine& machine, const plan::Plan& plan,
                          const std::set<std::string>& relevant, std::vector<Finding>& findings) {
  for (const Versions& versions : find_versions(machine)) {
    if (!relevant.contains(versions.accelerator->name)) continue;
    add_driver_findings(versions, plan, findings);
    add_consumer_findings(versions, findings);
  }
}

}  // namespace dsbuild::report
