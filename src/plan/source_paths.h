// Paths of sources as plans write them: below a catalog root, by the root's placeholder.
// Knows folders' names only; touches no disk.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "manifest/catalog.h"

namespace dsbuild::plan {

/// The built-in root is `{src}`, the others `{root1}`, `{root2}`… in the catalog's order, and then
/// the folders of ops that lie in no root (manifests given by path).
class SourcePaths {
 public:
  explicit SourcePaths(const manifest::Catalog& catalog);

  /// "{src}/ops/adam/op.cpp"; a path below no root stays as it is.
  std::string name(const std::filesystem::path& path) const;

  /// Placeholder without braces -> folder.
  const std::map<std::string, std::string>& all() const { return paths_; }

 private:
  void add(const std::filesystem::path& folder);

  std::vector<std::pair<std::string, std::string>> roots_;  ///< folder, placeholder; longest first
  std::map<std::string, std::string> paths_;
};

}  // namespace dsbuild::plan
