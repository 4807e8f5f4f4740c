// Which headers a source includes, by its text: what a precompiled header is good for.
// Knows #include lines; evaluates no condition.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
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

 private:
  const std::vector<std::string>& names_in(const std::filesystem::path& file);

  const System& system_;
  std::map<std::filesystem::path, std::vector<std::string>> names_;
};

}  // namespace dsbuild::manifest
