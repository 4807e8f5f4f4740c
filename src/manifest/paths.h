// Paths in a manifest: each must name something inside the op's folder, lexically and through
// links. Knows the machine's files; no key of the format.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/system.h"
#include "manifest/catalog.h"
#include "manifest/node.h"

namespace dsbuild::manifest {

/// Where paths really lie. Folders are resolved once: the sources of a tree share theirs, and the
/// kernel is asked about each part of a path.
class RealPaths {
 public:
  explicit RealPaths(const System& system) : system_(system) {}

  /// As System::resolve says of a path that exists.
  std::optional<std::filesystem::path> resolve(const std::filesystem::path& path);

 private:
  const System& system_;
  std::map<std::string, std::optional<std::filesystem::path>> folders_;
};

/// The folder that the paths of one op are relative to.
struct OpFolder {
  const System& system;
  RealPaths& real_paths;
  std::filesystem::path path;                 ///< absolute; empty when it can't be told
  std::optional<std::filesystem::path> real;  ///< the same with every link followed
  const SourceTree* tree = nullptr;           ///< that the folder is the root of, if it is of one

  OpFolder(const System& system_, RealPaths& real_paths_, std::filesystem::path path_)
      : system(system_),
        real_paths(real_paths_),
        path(std::move(path_)),
        real(real_paths.resolve(path)) {}

  /// Of a relative path.
  std::filesystem::path find(const std::filesystem::path& relative) const;
};

/// The absolute path of the text at `node`; tells why when it is not to be used.
std::optional<std::filesystem::path> read_path(const Node& node, const OpFolder& folder,
                                               FileStatus::Kind kind);

/// Those of a list at `list` that can be used.
std::vector<std::filesystem::path> read_paths(const Node& list, const OpFolder& folder,
                                              FileStatus::Kind kind);

}  // namespace dsbuild::manifest
