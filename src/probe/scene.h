// What every source of the probe looks at: the machine's files, its PATH, the tools' answers and
// what the user demands. Knows no fact itself.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system.h"
#include "manifest/catalog.h"
#include "probe/answer_cache.h"
#include "probe/probe.h"
#include "probe/pythons.h"

namespace dsbuild::probe {

struct Scene {
  const System& system;
  AnswerCache& answers;
  const manifest::Catalog& catalog;
  const ProbeOptions& options;
  const Pythons& pythons;
  std::string machine;  ///< "x86_64"; empty: unknown
  std::string triple;   ///< "x86_64-linux-gnu"; empty: unknown
};

/// Calls `look` with 0 to `count` - 1: at once where tools may be started, else one after the
/// other, because starting threads takes longer than reading what tools have said before.
void for_each(const Scene& scene, std::size_t count, const std::function<void(std::size_t)>& look);

/// Existing paths that an absolute pattern stands for, by name; '*' is any name, or a part of one.
std::vector<std::filesystem::path> find_paths(const System& system,
                                              const std::filesystem::path& pattern);

/// Lists the folders of PATH (once for all sources: /usr/bin alone has thousands of names).
std::vector<FolderListing> find_path_folders(const System& system);

/// The executables of that name, in the order of the folders.
std::vector<std::filesystem::path> find_commands(const System& system,
                                                 const std::vector<FolderListing>& folders,
                                                 std::string_view name);

/// The executables NAME-<number> ("g++-12"), the highest number first.
std::vector<std::filesystem::path> find_versioned_commands(
    const System& system, const std::vector<FolderListing>& folders, std::string_view name);

/// site-packages of what --torch and --python name, the virtual environment, the conda prefix and
/// each python3 on PATH (pyenv's, too), with the user's own and /usr/local's where that Python sees
/// them. Found by their places: no Python is started.
std::vector<PythonPackages> find_python_packages(const System& system,
                                                 const std::vector<FolderListing>& path,
                                                 const ProbeOptions& options);

}  // namespace dsbuild::probe
