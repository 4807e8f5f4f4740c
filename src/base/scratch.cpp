#include "base/scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/files.h"

namespace fs = std::filesystem;

namespace dsbuild {
namespace {

int open_folder(const fs::path& folder) {
  return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// `how`: LOCK_NB where it isn't waited for.
bool lock(int fd, int how) {
  if (fd < 0) return false;
  int refused = 0;
  do {
    refused = ::flock(fd, LOCK_EX | how);
  } while (refused != 0 && errno == EINTR);
  return refused == 0;
}

/// Whether the open folder still has this name.
bool is_still(int fd, const fs::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

/// A folder that nobody holds was left by a process that is dead. One that can't be locked at all
/// (some network file systems) stays.
void remove_left_ones(const fs::path& target) {
  const std::string prefix = fmt::format(".{}.", target.filename().string());
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix) && name.ends_with(kStagingSuffix)) found.push_back(entry.path());
  }
  for (const fs::path& folder : found) {
    const int fd = open_folder(folder);
    if (lock(fd, LOCK_NB)) fs::remove_all(folder, error);
    if (fd >= 0) ::close(fd);
  }
}

}  // namespace

ScratchFolder::ScratchFolder(const fs::path& target) {
  remove_left_ones(target);
  for (;;) {
    path_ = write_staging_folder(target);
    fd_ = open_folder(path_);
    // Between its making and its lock another process may have taken it for a left one: that one
    // holds the lock until it is removed.
    lock(fd_, 0);
    if (fd_ >= 0 && is_still(fd_, path_)) return;
    if (fd_ >= 0) ::close(fd_);
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(fd_);
}

}  // namespace dsbuild
