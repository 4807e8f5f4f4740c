// What a plan must know of the sources of extensions and only their text says: who includes torch's
// header, what may have to be translated, sizes. Knows ops as they were read; no manifest.
#pragma once

#include <string>
#include <vector>

#include "base/system.h"
#include "manifest/catalog.h"

namespace dsbuild::manifest {

/// Reads it for these ops of the catalog, once for each. Apart from reading manifests, because it
/// takes as long as all of them and a plan is seldom about all ops.
void read_sources(const System& system, const std::vector<std::string>& ops, Catalog& catalog);

}  // namespace dsbuild::manifest
