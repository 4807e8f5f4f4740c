// Which sources of a python_extension's part one compile takes. Knows a part; no tool and no flag.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "manifest/catalog.h"

namespace dsbuild::plan {

/// Sources of one compile: the first is the one that the compiler is given, the others are read
/// before it.
struct SourceUnit {
  std::vector<std::filesystem::path> sources;  ///< at least one
  bool binding = false;                        ///< one of them holds the module's init
};

/// `together`: what the part allows may be done; `compiler`: tells compilers apart, by a name for
/// the one of a source. In the order of the part.
std::vector<SourceUnit> source_units(
    const manifest::ExtensionPart& part, bool together,
    const std::function<std::string(const std::filesystem::path&)>& compiler);

}  // namespace dsbuild::plan
