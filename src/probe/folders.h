// Folders that ops of a source tree need and that are neither the tree's nor a toolchain's, such as
// CUTLASS. Knows the tree's rules and files; no op and no plan.
#pragma once

#include <map>
#include <string>

#include "base/fact.h"
#include "base/version.h"

namespace dsbuild::probe {

struct Machine;
struct Scene;

/// As it was found, or why it wasn't.
struct Folder {
  Fact<std::string> path;  ///< absolute; "" when a variable says that it need not be looked for
  Fact<Version> version;   ///< missing without a rule for it
};

/// Every folder of the catalog's source tree: where its variables say, else in packages beside the
/// machine's chosen torch, else in its places. A variable that says something else than the folder
/// is the reason; nothing falls back from it.
std::map<std::string, Folder> find_folders(const Scene& scene, const Machine& machine);

}  // namespace dsbuild::probe
