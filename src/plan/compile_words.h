// What a manifest gives to a compile, as command line words: macros, include folders, flags, and
// the language standard. Knows options; no template and no toolchain.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "manifest/catalog.h"
#include "plan/source_paths.h"

namespace dsbuild::plan {

/// The flags key of manifests for the link of a library.
inline constexpr const char* kLinkTool = "link";

/// Options of an op and of one of its parts, in this order; null parts are left out.
using OptionLayers = std::vector<const manifest::CompileOptions*>;

/// "-DNAME=value"; a later layer replaces a value of an earlier one. `instance` comes last.
std::vector<std::string> define_words(const OptionLayers& layers,
                                      const std::map<std::string, std::string>& instance = {});

/// "-I{src}/ops", each once: the manifest's, then the op's folder, then those that every op has.
/// `common`: with ops/common of the op's root and of the built-in root, and the runtime's headers.
std::vector<std::string> include_words(const OptionLayers& layers, const manifest::Op& op,
                                       const manifest::Catalog& catalog, const SourcePaths& paths,
                                       bool common);

/// Flags of all layers for one tool.
std::vector<std::string> flag_words(const OptionLayers& layers, const std::string& tool);

/// The one language standard of an op's compiles, as "-std=c++17": what the manifest's flags say,
/// else the lowest that recipes of the op's accelerators use (a vendor's compiler often knows fewer
/// than the host's). Empty when no one says any. Two standards in one manifest are an error.
std::string find_standard(const manifest::Op& op, const manifest::Catalog& catalog,
                          Diagnostics& diagnostics);

}  // namespace dsbuild::plan
