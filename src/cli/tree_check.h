// Whether the manifests of a source tree and the tree itself fit: no source is forgotten.
// Knows the catalog and the tree's files.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "base/system.h"
#include "manifest/catalog.h"

namespace dsbuild::cli {

/// Tells of each source that no op of this version uses and that nobody has said why, and of those
/// that are said to be unused and are not. Returns one line on the tree, for people.
std::string check_tree(const System& system, const manifest::Catalog& catalog,
                       Diagnostics& diagnostics);

}  // namespace dsbuild::cli
