// Files as the step cache knows them: by the placeholder of the folder that they lie in, so that a
// step is the same in every checkout and build folder. Knows names only; touches no disk but to
// follow links of the folders themselves.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dsbuild::run {

class CacheNames {
 public:
  /// `roots`: placeholder without braces -> folder, {"src", "/home/a/checkout"}. Relative paths are
  /// seen from `folder`.
  CacheNames(const std::map<std::string, std::string>& roots, std::filesystem::path folder);

  /// "{src}/a.h"; a path in none of the folders stays absolute.
  std::string name(const std::string& path) const;
  /// The path that a name stands for here.
  std::string path(std::string_view name) const;
  /// Every mention of a folder in a text becomes its placeholder, and back.
  std::string hide(std::string text) const;
  std::string show(std::string text) const;

  /// Folder and placeholder ("{src}"), the longest folder first; one that is reached through a link
  /// is there by both its paths.
  const std::vector<std::pair<std::string, std::string>>& folders() const { return folders_; }

 private:
  std::filesystem::path folder_;
  std::vector<std::pair<std::string, std::string>> folders_;
  std::map<std::string, std::string, std::less<>> places_;  ///< "{src}" -> folder
};

}  // namespace dsbuild::run
