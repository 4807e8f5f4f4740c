// Checks of single words that both formats share: a name's shape, an arch, a version range.
// Knows no key.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "manifest/catalog.h"
#include "manifest/node.h"
#include "manifest/shapes.h"

namespace dsbuild::manifest {

/// Tells when the text at `node`, or the key that led there, has not the shape.
void check_shape(const Node& node, const Shape& shape);
void check_shape(const Node& node, const std::string& key, const Shape& shape);

/// Tells when the text at `node` is no arch of the accelerator on that machine (empty: any).
void check_arch(const Node& node, const Accelerator& accelerator, std::string_view machine);

/// A spelling of an arch, to show in hints.
std::string example_arch(const Accelerator& accelerator);

/// The range at `node`, added to `ranges` under `key`; tells when it is none.
void read_range(const Node& node, const std::string& key,
                std::map<std::string, VersionRange>& ranges);

/// The number of at most four digits at `node`, such as "0x10de"; tells when it is none.
unsigned read_hex(const Node& node);

}  // namespace dsbuild::manifest
