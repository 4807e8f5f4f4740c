// One op manifest: JSON to an Op, with everything that is wrong with it.
// Knows the format of manifests and the accelerators they may name; no machine.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "manifest/catalog.h"
#include "manifest/node.h"
#include "manifest/paths.h"

namespace dsbuild::manifest {

/// Where an op's files lie, and what its manifest may name.
struct OpContext {
  const std::map<std::string, Accelerator>& accelerators;
  std::filesystem::path root;  ///< the catalog root
  OpFolder folder;
  const SourceTree* tree = nullptr;  ///< that the sources are of
};

/// Reads what can be understood; the schema has already told of wrong types and keys.
Op read_op(const Node& root, const OpContext& context);

/// What must hold between the parts of an op: its kind's keys, no two sets that make one image or
/// one object file, sources that their accelerators take.
void check_op(const Node& root, const Op& op,
              const std::map<std::string, Accelerator>& accelerators);

}  // namespace dsbuild::manifest
