// Reads catalog roots and single manifest files into a Catalog, collecting every problem of every
// file. Knows the files' form; writes nothing and looks at nothing but those files.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/system.h"
#include "manifest/catalog.h"

namespace dsbuild::manifest {

/// What to read.
struct CatalogSources {
  std::filesystem::path built_in;                ///< the root that dsbuild came with
  std::vector<std::filesystem::path> roots;      ///< --root and DSBUILD_PATH, in order
  std::vector<std::filesystem::path> manifests;  ///< single files given by path
  std::filesystem::path tree;  ///< --source: a source tree, whose ops are then the only ones
};

/// Reads and checks everything. Throws Error(file_system) when the schemas are not there. The
/// result holds what could be understood; whoever builds must first see that `diagnostics` has no
/// errors.
Catalog read_catalog(const System& system, const CatalogSources& sources, Diagnostics& diagnostics);

/// Digests of files, with their schema, that have the form it asks for.
using KnownForms = std::set<std::string>;

/// The same, with what an earlier run found right; what this one finds right is added.
Catalog read_catalog(const System& system, const CatalogSources& sources, Diagnostics& diagnostics,
                     KnownForms& known_forms);

}  // namespace dsbuild::manifest
