// Which files a bundle has, where each comes from, and what its index says.
// Knows plans and file facts; writes nothing.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "bundle/bundle.h"
#include "bundle/memory.h"

namespace dsbuild::bundle {

/// The files that are copied: path in the bundle -> source. Texts are not among them.
std::map<std::string, std::filesystem::path> find_sources(const plan::Plan& plan,
                                                          const BundleContent& content);

/// The index of a bundle that is made from these sources and `content.texts`.
BundleIndex make_index(const plan::Plan& plan, const BundleContent& content,
                       const std::map<std::string, std::filesystem::path>& sources, Memory& memory);

}  // namespace dsbuild::bundle
