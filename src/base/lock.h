// A lock on a folder that the kernel drops when its holder dies (flock): a killed build never
// blocks the next one. Knows nothing of what is protected.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace dsbuild {

/// This host's name, as its user set it.
std::string host_name();

/// Held until destroyed. The file `.lock` in the folder stays; who holds it is written inside.
class FolderLock {
 public:
  /// Waits at most `limit`, then throws Error(lock_timeout) that names the holder. `on_wait` is
  /// called once, with a sentence for the user, when the lock is not free after 1 s. Throws
  /// Error(interrupted) when an interrupt comes meanwhile.
  FolderLock(const std::filesystem::path& folder, std::chrono::seconds limit,
             const std::function<void(const std::string&)>& on_wait);
  /// The lock where it can be had at once, in a folder that is there; else nothing, whatever the
  /// reason.
  static std::unique_ptr<FolderLock> take_if_free(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  explicit FolderLock(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace dsbuild
