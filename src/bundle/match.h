// (BundleIndex, Catalog, Machine) -> which image of each op would be loaded there, or why none.
// Pure: touches neither the bundle nor the machine.
#pragma once

#include <string>
#include <vector>

#include "bundle/bundle.h"
#include "manifest/catalog.h"
#include "probe/machine.h"

namespace dsbuild::bundle {

/// One op on one kind of device of a machine.
struct Match {
  std::string op;
  std::string accelerator;
  std::string device;           ///< the arch of the device, or the level of the CPU; empty: unknown
  std::string image;            ///< path in the bundle of what would be loaded; empty: nothing
  std::string reason;           ///< why nothing would
  std::string needs;            ///< what must be true besides: "driver >=13.0"; empty: nothing
  bool driver_too_old = false;  ///< a newer driver would load one: nothing else is in the way
};

/// For each op with images or modules in the bundle: the host, where it has some for hosts, then
/// each arch of the machine's devices that the op has some for or was asked about. By op.
std::vector<Match> match_bundle(const BundleIndex& index, const manifest::Catalog& catalog,
                                const probe::Machine& machine);

}  // namespace dsbuild::bundle
