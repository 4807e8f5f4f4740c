// A lock on a folder that the kernel drops when its holder dies (flock): a killed build never
// blocks the next one. Knows nothing of what is protected.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace dsbuild {

/// Held until destroyed. The file `.lock` in the folder stays; who holds it is written inside.
class FolderLock {
 public:
  /// Waits at most `limit`, then throws Error(lock_timeout) that names the holder. `on_wait` is
  /// called once, with a sentence for the user, when the lock is not free after 1 s. Throws
  /// Error(interrupted) when an interrupt comes meanwhile.
  FolderLock(const std::filesystem::path& folder, std::chrono::seconds limit,
             const std::function<void(const std::string&)>& on_wait);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  explicit FolderLock(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace dsbuild
