#include "run/precompiled_header.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "run/depfile.h"
#include "run/launch.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

constexpr const char* kStampSuffix = ".stamp";
constexpr const char* kLockSuffix = ".lock";

/// A lock that the kernel releases when its holder ends, however it ends.
class HeaderLock {
 public:
  explicit HeaderLock(const fs::path& path)
      : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {}
  ~HeaderLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  HeaderLock(const HeaderLock&) = delete;
  HeaderLock& operator=(const HeaderLock&) = delete;

  /// False when somebody else has it; `mode`: LOCK_SH or LOCK_EX.
  bool take(int mode) const { return fd_ >= 0 && ::flock(fd_, mode | LOCK_NB) == 0; }

 private:
  int fd_;
};

std::string with_suffix(const std::string& path, const char* suffix) {
  return path + suffix;
}

}  // namespace

std::vector<std::string> PrecompiledHeader::read_files() const {
  if (!step_.header || !fs::exists(folder_ / step_.header.made)) return {};
  return read_depfile(step_.header.depfile, folder_).value_or(std::vector<std::string>{});
}

/// The command, and size and time of every file that it read.
std::string PrecompiledHeader::stamp() const {
  std::string text = join(step_.header.argv, "\n") + "\n";
  for (const std::string& name : read_files()) {
    struct stat status {};
    const bool there = ::stat((folder_ / name).c_str(), &status) == 0;
    text += fmt::format("{} {} {}.{}\n", name, there ? status.st_size : -1, status.st_mtim.tv_sec,
                        status.st_mtim.tv_nsec);
  }
  return text;
}

bool PrecompiledHeader::good() const {
  const std::string& made = step_.header.made;
  if (!fs::exists(folder_ / made)) return false;
  return read_file(folder_ / with_suffix(made, kStampSuffix)) == stamp();
}

double PrecompiledHeader::make(int log, int events) const {
  const std::string& made = step_.header.made;
  const std::string unfinished = fmt::format("{}.{}", made, random_suffix());
  plan::StepFile command = step_;
  command.argv = step_.header.argv;
  for (std::string& word : command.argv) {
    if (word == made) word = unfinished;
  }
  const LaunchResult result = launch(command, log, events);
  std::error_code error;
  if (result.ok()) fs::rename(folder_ / unfinished, folder_ / made, error);
  if (result.ok() && !error) {
    write_file(folder_ / with_suffix(made, kStampSuffix), stamp());
  } else {
    fs::remove(folder_ / unfinished, error);
  }
  return result.seconds;
}

double PrecompiledHeader::prepare(int log, int events) const {
  if (!step_.header) return 0;
  const fs::path made = folder_ / step_.header.made;
  write_folder(made.parent_path());
  const HeaderLock lock(with_suffix(made.string(), kLockSuffix));
  if (!lock.take(LOCK_SH) || good()) return 0;
  // Nobody may take what is out of date, not even who can't make it anew.
  std::error_code error;
  fs::remove(made, error);
  return lock.take(LOCK_EX) ? make(log, events) : 0;
}

}  // namespace dsbuild::run
