// A private folder to make something in: what a killed process left behind, the next one removes.
// Knows nothing of what is made.
#pragma once

#include <filesystem>

namespace dsbuild {

/// A new folder beside `target`, on its file system, so that it, or what is in it, can be renamed
/// to `target`. Whatever then stands under its own name is removed in the end. Locked while it
/// lives (flock), which is how others tell it from one whose maker was killed.
class ScratchFolder {
 public:
  /// Removes those beside `target` that killed processes left. Throws Error(file_system).
  explicit ScratchFolder(const std::filesystem::path& target);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace dsbuild
