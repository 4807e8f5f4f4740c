// The frameworks that are looked for in each Python environment, one row each. Knows their names
// and who reads what is special about them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/scene.h"
#include "probe/survey.h"

namespace dsbuild::probe {

/// Those of all environments, by file alone: no Python is started, nothing is imported.
std::vector<Framework> find_frameworks(const Scene& scene);

/// torch/version.py, TorchConfig.cmake and libc10.so: version, CUDA or HIP, C++ ABI.
void read_torch(const System& system, const std::filesystem::path& folder, Framework& framework);

/// deepspeed/git_version_info_installed.py: what it was built with, and the ops that it claims.
void read_deepspeed(const System& system, const std::filesystem::path& folder,
                    Framework& framework);

/// The version of a package (or of one that brings it under another name) by its record in a folder
/// of packages; empty when it has none there.
std::optional<Fact<Version>> find_package_version(const System& system,
                                                  const std::filesystem::path& folder,
                                                  std::string_view package);

/// `version` from what the package's own file assigns to `variable`; left as it is without one.
void prefer_own_version(const std::optional<std::string>& text, std::string_view variable,
                        const std::string& file, Framework& framework);

/// A literal as text: 'a' is a, True is "true". None, and what isn't there, are missing.
Fact<std::string> read_value(std::string_view text, std::string_view name, const std::string& file);

}  // namespace dsbuild::probe
