// The variables that hide devices from programs (CUDA_VISIBLE_DEVICES and its like): what each
// leaves visible. Knows how they are written, not who obeys them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/system.h"
#include "probe/accelerators/accelerator_state.h"

namespace dsbuild::probe {

struct Machine;

/// What a variable does to the devices of an accelerator.
struct VisibleDevices {
  std::string variable;
  std::string value;  ///< may be empty
  std::string accelerator;
  std::vector<std::string> visible;  ///< addresses, in the order in which programs count them
  std::vector<std::string> hidden;
  std::string note;  ///< what was not understood, or how devices were counted
};

Json to_json(const std::vector<VisibleDevices>& list);
std::vector<VisibleDevices> parse_visible_devices(const Json& json);

/// A variable and the accelerator whose devices it chooses.
struct VisibleVariable {
  std::string name;
  std::string accelerator;
};

/// Those that the descriptors name, and ROCm's second one.
std::vector<VisibleVariable> visible_variables(const AcceleratorStates& accelerators);

/// One for each variable that is set and has devices to choose from. Indices count as CUDA does
/// where a source told its order, else by address; UUIDs need a source that told them.
std::vector<VisibleDevices> find_visible_devices(const System& system, const Machine& machine);

}  // namespace dsbuild::probe
