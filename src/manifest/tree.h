// Source trees that are not ours: reads a tree.json and finds the tree that a folder holds.
// Knows layouts and versions; no op.
#pragma once

#include <filesystem>
#include <optional>

#include "base/system.h"
#include "manifest/catalog.h"
#include "manifest/node.h"

namespace dsbuild::manifest {

/// The file that makes a folder of manifests one of a source tree.
inline constexpr std::string_view kTreeFile = "tree.json";

/// The tree that `root` describes, if `folder` is one of its layouts, or lies in one: an installed
/// package's own folder is understood. Problems of the description are told.
std::optional<SourceTree> find_tree(const System& system, const Node& root,
                                    const std::filesystem::path& folder,
                                    const std::map<std::string, Accelerator>& accelerators);

}  // namespace dsbuild::manifest
