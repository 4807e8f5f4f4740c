#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/pattern.h"
#include "base/text.h"
#include "probe/accelerators/accelerator_signs.h"
#include "probe/sources.h"

namespace dsbuild::probe {
namespace {

using manifest::Accelerator;

bool imitates(const Accelerator& one, const Accelerator& other) {
  return std::find(one.imitates.begin(), one.imitates.end(), other.name) != one.imitates.end();
}

/// Imitators before what they imitate, else by rank and name; the host last, because it is always
/// there.
std::vector<const Accelerator*> order_of(const manifest::Catalog& catalog) {
  std::vector<const Accelerator*> waiting;
  for (const auto& [name, accelerator] : catalog.accelerators) waiting.push_back(&accelerator);
  std::stable_sort(waiting.begin(), waiting.end(), [](const auto* a, const auto* b) {
    return std::tie(a->host, a->rank) < std::tie(b->host, b->rank);
  });
  std::vector<const Accelerator*> order;
  while (!waiting.empty()) {
    auto next = std::find_if(waiting.begin(), waiting.end(), [&](const Accelerator* candidate) {
      return std::none_of(waiting.begin(), waiting.end(),
                          [&](const Accelerator* other) { return imitates(*other, *candidate); });
    });
    if (next == waiting.end()) next = waiting.begin();  // a circle, which was told of
    order.push_back(*next);
    waiting.erase(next);
  }
  return order;
}

/// What was looked for in vain: "no PCI device, file /x or command y".
std::string looked_for(const Accelerator& accelerator) {
  std::vector<std::string> parts;
  if (!accelerator.pci.empty()) parts.emplace_back("PCI device");
  for (const manifest::DetectRule& rule : accelerator.detect) parts.push_back(describe_sign(rule));
  if (parts.size() > 1) {
    parts[parts.size() - 2] += " or " + parts.back();
    parts.pop_back();
  }
  return "no " + join(parts, ", ");
}

/// The one of `found` that imitates the accelerator, so that only the PCI bus can tell them apart.
const AcceleratorState* find_imitator(const manifest::Catalog& catalog,
                                      const std::vector<AcceleratorState>& found,
                                      const Accelerator& accelerator) {
  for (const AcceleratorState& state : found) {
    const bool here = state.detected == Presence::yes;
    if (here && imitates(catalog.accelerators.at(state.name), accelerator)) return &state;
  }
  return nullptr;
}

void detect(const Scene& scene, const Machine& machine, const Accelerator& accelerator,
            const AcceleratorState* imitator, AcceleratorState& state) {
  const auto is_here = [&](std::string rule) {
    state.detected = Presence::yes;
    state.rule = std::move(rule);
  };
  if (accelerator.host) return is_here("it is the host");
  for (const Device& device : machine.devices) {
    if (device.accelerator != accelerator.name) continue;
    // One that is on no bus has no id.
    return is_here(device.id.empty()
                       ? "device " + device.address
                       : fmt::format("PCI address {} ({})", device.address, device.id));
  }
  for (const manifest::DetectRule& rule : accelerator.detect) {
    const auto sign = find_sign(scene, rule);
    if (!sign) continue;
    if (imitator == nullptr) return is_here(*sign);
    state.reason =
        fmt::format("no PCI device; {} may be of {}, which imitates it", *sign, imitator->name);
    return;
  }
  if (accelerator.pci.empty() && accelerator.detect.empty()) {
    state.detected = Presence::unknown;
    state.reason = "its descriptor has no rule that finds it";
    return;
  }
  state.reason = looked_for(accelerator);
  if (!accelerator.pci.empty() && !scene.system.exists("/sys/bus/pci/devices")) {
    state.detected = Presence::unknown;
    state.reason += "; there is no /sys/bus/pci/devices, so PCI devices can't be seen";
  }
}

/// Kinds of toolchains that the accelerator's recipes use or its descriptor probes, in the order in
/// which a plan tries those of one recipe: its own, the host's, others.
std::vector<std::string> kinds_of(const Accelerator& accelerator,
                                  const manifest::Catalog& catalog) {
  std::vector<std::string> kinds;
  const auto add = [&kinds](const std::string& kind) {
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  };
  const auto uses = [&](const std::string& kind) {
    return std::any_of(accelerator.toolchains.begin(), accelerator.toolchains.end(),
                       [&](const auto& recipe) { return recipe.kinds.contains(kind); });
  };
  for (const manifest::ToolchainProbe& probe : accelerator.probes) add(probe.kind);
  for (const bool of_host : {true, false}) {
    for (const auto& [name, other] : catalog.accelerators) {
      for (const manifest::ToolchainProbe& probe : other.probes) {
        if (other.host == of_host && uses(probe.kind)) add(probe.kind);
      }
    }
  }
  return kinds;
}

bool takes(const manifest::ToolchainRecipe& recipe, const Toolchain& toolchain) {
  const auto range = recipe.kinds.find(toolchain.kind);
  return range != recipe.kinds.end() && toolchain.state == ToolchainState::complete &&
         toolchain.version && range->second.contains(*toolchain.version);
}

/// A toolchain that a recipe takes, or why there is none. What the toolchain itself needs, such as
/// a host compiler within its limits, is looked at when something is planned.
Fact<std::string> usable_toolchain(const Accelerator& accelerator, const Machine& machine,
                                   const std::vector<std::string>& kinds) {
  using Found = Fact<std::string>;
  if (!accelerator.unbuilt.empty() && accelerator.toolchains.empty())
    return Found::missing(accelerator.unbuilt);
  std::vector<std::string> wanted;
  std::vector<std::string> hints;
  for (const manifest::ToolchainRecipe& recipe : accelerator.toolchains) {
    for (const std::string& kind : kinds) {
      for (const Toolchain& toolchain : machine.toolchains) {
        if (toolchain.kind == kind && takes(recipe, toolchain))
          return Found::known(toolchain.id, toolchain.origin);
      }
    }
    for (const auto& [kind, range] : recipe.kinds) wanted.push_back(kind + " " + range.text());
    hints.push_back(recipe.hint);
  }
  return Found::missing(
      fmt::format("no complete {} ({})", join(wanted, " or "), join(hints, "; or ")));
}

Fact<Version> find_driver(const Scene& scene, const Accelerator& accelerator) {
  if (!accelerator.driver) {
    return Fact<Version>::missing("its descriptor doesn't say how its driver tells it");
  }
  const std::string& file = accelerator.driver->file;
  const auto text = scene.system.read_file(file);
  if (!text) return Fact<Version>::missing("no such file", file);
  const Pattern pattern(accelerator.driver->regex);
  for (const std::string& line : split_lines(*text)) {
    const auto version = Version::parse(pattern.find(line).value_or(""));
    if (version) return Fact<Version>::known(*version, file);
  }
  return Fact<Version>::missing("no version in it", file);
}

/// The release of the last row that the driver isn't older than. Of a driver of a later series than
/// the table knows it isn't known how much more it runs.
Fact<Version> find_driver_level(const Accelerator& accelerator, const Fact<Version>& driver) {
  if (!driver) return Fact<Version>::missing("no driver", driver.source);
  const auto& runs = accelerator.driver->runs;
  const auto next = runs.upper_bound(*driver);
  if (next == runs.begin()) {
    return Fact<Version>::missing("older than " + runs.begin()->first.text, driver.source);
  }
  const auto& [first, release] = *std::prev(next);
  if (next == runs.end() && driver->major_part() > first.major_part()) {
    return Fact<Version>::missing("newer than " + first.text + ", which runs " + release.number(),
                                  driver.source);
  }
  return Fact<Version>::known(release, "runs it from " + first.text + " on");
}

/// The variable, as DeepSpeed reads it, beats what was detected.
Fact<std::string> choose(const Scene& scene, const std::vector<AcceleratorState>& list) {
  using Chosen = Fact<std::string>;
  constexpr const char* kVariable = "DS_ACCELERATOR";
  if (const auto name = scene.system.env(kVariable)) {
    const Accelerator* accelerator = scene.catalog.find_accelerator(*name);
    if (accelerator == nullptr) {
      return Chosen::missing("no descriptor has the name '" + *name + "'", kVariable);
    }
    return Chosen::known(accelerator->name, kVariable);
  }
  for (const AcceleratorState& state : list) {
    if (state.detected == Presence::yes) return Chosen::known(state.name, state.rule);
  }
  return Chosen::missing("no accelerator was detected");
}

}  // namespace

AcceleratorStates find_accelerators(const Scene& scene, const Machine& machine) {
  AcceleratorStates states;
  for (const Accelerator* accelerator : order_of(scene.catalog)) {
    AcceleratorState state;
    state.name = accelerator->name;
    detect(scene, machine, *accelerator, find_imitator(scene.catalog, states.list, *accelerator),
           state);
    state.kinds = kinds_of(*accelerator, scene.catalog);
    state.toolchain = usable_toolchain(*accelerator, machine, state.kinds);
    state.runtime = accelerator->runtime;
    state.aliases = accelerator->aliases;
    state.driver = find_driver(scene, *accelerator);
    state.driver_level = find_driver_level(*accelerator, state.driver);
    states.list.push_back(std::move(state));
  }
  states.chosen = choose(scene, states.list);
  return states;
}

}  // namespace dsbuild::probe
