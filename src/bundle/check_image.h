// Whether a library or an image is what the index says: target, entry points, needs.
// Knows the rules of the bundle; reads no file itself.
#pragma once

#include <string>
#include <vector>

#include "base/elf.h"
#include "bundle/bundle.h"

namespace dsbuild::bundle {

/// Every mismatch, each a sentence without the file's name. `machine` is the bundle's ("x86_64").
std::vector<std::string> check_image(const BundleFile& file, const ElfFacts& facts,
                                     const std::string& machine);

}  // namespace dsbuild::bundle
