// A bundle's extensions as a Python wheel: its names, its metadata, its files.
// Knows the formats of packaging.python.org; writes nothing.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bundle/extension_choice.h"

namespace dsbuild::bundle {

struct Wheel {
  std::string name;   ///< of the file: "deepspeed_ops_dsbuild-0.19.8+torch2.15.cpu-cp311-…whl"
  std::string bytes;  ///< equal for equal bundles
};

/// The extensions of `ops` (empty: all) for an accelerator. Throws Error(bad_input) for one that is
/// not there, lacks one that must be loaded before it, or is there for several levels.
std::vector<Extension> choose_for_wheel(const BundleIndex& index, const std::string& accelerator,
                                        const std::vector<std::string>& ops);

/// Of the extensions of one accelerator. `name` is the accelerator's for DeepSpeed; `program` the
/// Python code of the package. Throws Error(bad_artifact) when they are for different releases of
/// torch or Python, or a file is not as the index says.
Wheel make_wheel(const BundleIndex& index, const std::filesystem::path& bundle,
                 const std::vector<Extension>& extensions, const std::string& accelerator,
                 const std::string& name, const std::string& program);

}  // namespace dsbuild::bundle
