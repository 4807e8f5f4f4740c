#include "base/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild {
namespace {

using Clock = std::chrono::steady_clock;

std::string read_holder(int fd) {
  std::array<char, 128> text{};
  const ssize_t n = ::pread(fd, text.data(), text.size(), 0);
  return n > 0 ? std::string(trim({text.data(), static_cast<std::size_t>(n)})) : "another process";
}

void write_holder(int fd) {
  const std::string text = fmt::format("process {} on {}\n", ::getpid(), host_name());
  // The text only helps whoever waits; a full disk must not stop us here.
  if (::ftruncate(fd, 0) == 0) (void)!::pwrite(fd, text.data(), text.size(), 0);
}

fs::path lock_path(const fs::path& folder) {
  return folder / ".lock";
}

/// Below 0 where it can't be opened, with errno set.
int open_lock_file(const fs::path& folder) {
  // Close-on-exec: a compiler that outlives us must not keep the lock.
  return ::open(lock_path(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

int write_lock_file(const fs::path& folder) {
  write_folder(folder);
  const int fd = open_lock_file(folder);
  if (fd < 0) throw_file_error("can't open the lock file", lock_path(folder), errno);
  return fd;
}

}  // namespace

std::string host_name() {
  std::array<char, 65> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

FolderLock::FolderLock(const fs::path& folder, std::chrono::seconds limit,
                       const std::function<void(const std::string&)>& on_wait)
    : FolderLock(write_lock_file(folder)) {
  const fs::path path = lock_path(folder);
  const auto started = Clock::now();
  bool said = false;
  while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) throw_file_error("can't lock", path, errno);
    stop_if_interrupted();
    const auto waited = Clock::now() - started;
    if (waited >= limit) {
      throw Error(
          ExitCode::lock_timeout,
          fmt::format("the folder is locked by {}; waited {} s", read_holder(fd_), limit.count()),
          path.string(),
          "let it finish, wait longer with --lock-timeout, or use another --build-dir");
    }
    if (!said && waited >= std::chrono::seconds(1)) {
      on_wait(fmt::format("waiting for {}, which builds in {}", read_holder(fd_), folder.string()));
      said = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  write_holder(fd_);
}

std::unique_ptr<FolderLock> FolderLock::take_if_free(const fs::path& folder) {
  const int fd = open_lock_file(folder);
  if (fd < 0) return nullptr;
  std::unique_ptr<FolderLock> lock(new FolderLock(fd));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return nullptr;
  write_holder(fd);
  return lock;
}

FolderLock::~FolderLock() {
  ::close(fd_);
}

}  // namespace dsbuild
