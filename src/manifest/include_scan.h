// Which files a source includes, by its text: what a precompiled header is good for, and what has
// to be translated. Knows #include lines; evaluates no condition.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/system.h"

namespace dsbuild::manifest {

/// Reads each file once, and looks for each name in each folder once: a tree's sources share most
/// of what they include. The system must outlive it.
class IncludeScan {
 public:
  explicit IncludeScan(const System& system) : system_(system) {}

  /// Whether the file includes `header`, itself or through files beside it or in `folders`.
  bool includes(const std::filesystem::path& file,
                const std::vector<std::filesystem::path>& folders, std::string_view header);

  /// All that it includes in this way and that is there, in the order of their names.
  std::vector<std::filesystem::path> headers_of(const std::filesystem::path& file,
                                                const std::vector<std::filesystem::path>& folders);

  /// Whether the text of the file has the word.
  bool mentions(const std::filesystem::path& file, std::string_view word);

 private:
  using Number = std::size_t;  ///< of a file, in files_
  struct File {
    std::string path;
    std::string text;
    std::vector<std::string> names;  ///< that it includes, as it writes them
    bool is_read = false;
  };
  /// What a file includes, of what is beside it or in some folders.
  using Included = std::unordered_map<Number, std::vector<Number>>;

  const File& read(Number file);
  /// Nothing: there is no such file.
  std::optional<Number> find(const std::string& path);
  const std::vector<Number>& included_by(Number file, const std::vector<std::string>& folders,
                                         Included& included);
  /// The file and all that it includes.
  std::vector<Number> reach(const std::filesystem::path& file,
                            const std::vector<std::filesystem::path>& folders);

  const System& system_;
  std::vector<File> files_;
  std::unordered_map<std::string, std::optional<Number>> known_;
  std::map<std::vector<std::string>, Included> included_;  ///< by the folders
};

}  // namespace dsbuild::manifest
