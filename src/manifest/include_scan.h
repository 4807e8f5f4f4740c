// Which files a source includes, by its text: what a precompiled header is good for, and what has
// to be translated. Knows #include lines; evaluates no condition.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/system.h"

namespace dsbuild::manifest {

/// Remembers what it has read. The system must outlive it.
class IncludeScan {
 public:
  explicit IncludeScan(const System& system) : system_(system) {}

  /// Whether the file includes `header`, itself or through files beside it or in `folders`.
  bool includes(const std::filesystem::path& file,
                const std::vector<std::filesystem::path>& folders, std::string_view header);

  /// All that it includes in this way and that is there, in the paths' order.
  std::vector<std::filesystem::path> headers_of(const std::filesystem::path& file,
                                                const std::vector<std::filesystem::path>& folders);

  /// Whether the text of the file has the word.
  bool mentions(const std::filesystem::path& file, const std::string& word);

 private:
  /// Goes through the file and what it includes until `stop` says so; whether it did.
  bool walk(const std::filesystem::path& file, const std::vector<std::filesystem::path>& folders,
            const std::function<bool(const std::filesystem::path&)>& stop);
  const std::vector<std::string>& names_in(const std::filesystem::path& file);

  const System& system_;
  std::map<std::filesystem::path, std::vector<std::string>> names_;
  std::map<std::filesystem::path, bool> exists_;
  std::map<std::pair<std::filesystem::path, std::string>, bool> mentions_;
};

}  // namespace dsbuild::manifest
