#include "run/running.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "plan/step_file.h"
#include "run/outputs.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

constexpr const char* kFolder = "running";

/// How long a step of a build that was killed may take to notice it and end.
constexpr std::chrono::seconds kPatience{10};

fs::path mark_path(const fs::path& folder, const fs::path& step_file) {
  return folder / kFolder / fmt::format("{:016x}", std::hash<std::string>()(step_file.native()));
}

void wait_for_end(const fs::path& mark) {
  const int fd = ::open(mark.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  bool locked = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  while (!locked && std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    locked = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  }
  ::close(fd);
  if (!locked) {
    throw Error(ExitCode::lock_timeout, "a step of an earlier build still runs in this folder",
                mark.string(), "wait for its compiler to end, or end it");
  }
}

}  // namespace

RunningMark::RunningMark(const fs::path& folder, const fs::path& step_file)
    : path_(mark_path(folder, step_file)) {
  write_folder(folder / kFolder);
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) throw_file_error("can't write", path_, errno);
  ::flock(fd_, LOCK_EX);
  const std::string& text = step_file.native();
  if (::write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    const int error = errno;
    ::unlink(path_.c_str());
    ::close(fd_);
    throw_file_error("can't write", path_, error);
  }
}

RunningMark::~RunningMark() {
  ::unlink(path_.c_str());
  ::close(fd_);
}

bool write_removal_of_half_outputs(const fs::path& folder) {
  std::error_code none;
  std::vector<fs::path> marks;
  for (const auto& entry : fs::directory_iterator(folder / kFolder, none)) {
    marks.push_back(entry.path());
  }
  for (const fs::path& mark : marks) {
    wait_for_end(mark);
    const auto step_file = read_file(mark);
    if (!step_file) continue;  // it has just ended by itself
    const auto step = plan::parse_step_file(read_file(folder / *step_file).value_or(""));
    if (step) write_removal_of_outputs(*step, folder);
    write_removal(mark);
  }
  return !marks.empty();
}

}  // namespace dsbuild::run
