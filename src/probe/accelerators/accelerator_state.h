// Which accelerators are here, which can be compiled for, and which one a program would take, each
// with the rule that decided. Plain values; knows no accelerator's name.
#pragma once

#include <string>
#include <vector>

#include "base/fact.h"
#include "base/json_fwd.h"
#include "base/version.h"
#include "manifest/catalog.h"

namespace dsbuild::probe {

enum class Presence {
  no,
  yes,
  unknown,  ///< nothing tells: no rule, or the machine doesn't show what the rules look at
};
const char* presence_name(Presence presence);  ///< "yes", …

/// One accelerator on this machine.
struct AcceleratorState {
  std::string name;
  Presence detected = Presence::no;
  std::string rule;    ///< detected: what decided, "PCI address 0000:17:00.0"
  std::string reason;  ///< not detected: why
  /// The id of a toolchain that compiles for it, or why there is none. Whether the plan takes that
  /// one is the plan's to say.
  Fact<std::string> toolchain;
  std::vector<std::string> kinds;  ///< of toolchains that its descriptor probes or uses
  manifest::RuntimeFacts runtime;
  std::vector<std::string> aliases;
  Fact<Version> driver;        ///< the kernel driver's own version
  Fact<Version> driver_level;  ///< the newest toolkit release that it is known to run

  bool counts() const { return detected == Presence::yes || toolchain; }
};

struct AcceleratorStates {
  std::vector<AcceleratorState> list;  ///< in the order in which they are looked for
  /// The first one that was detected, or the one that DS_ACCELERATOR names, whatever is here.
  Fact<std::string> chosen;
};

/// {"chosen", "order": […]}
Json to_json(const AcceleratorStates& states);
void to_json(Json& json, const AcceleratorStates& states);
void from_json(const Json& json, AcceleratorStates& states);

}  // namespace dsbuild::probe
