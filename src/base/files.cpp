#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <random>

#include "base/error.h"

namespace fs = std::filesystem;

namespace dsbuild {
namespace {

struct HintRow {
  int error_number;
  std::string_view hint;
};

constexpr std::array<HintRow, 5> kHints{{
    {ENOSPC, "free some space there, or choose another folder"},
    {EDQUOT, "your quota is used up: free some space, or choose another folder"},
    {EROFS, "the file system is read-only: choose another folder"},
    {EACCES, "you have no permission there: choose another folder, or ask its owner"},
    {EPERM, "you have no permission there: choose another folder, or ask its owner"},
}};

fs::path parent_of(const fs::path& path) {
  const fs::path parent = path.parent_path();
  return parent.empty() ? "." : parent;
}

}  // namespace

std::string random_suffix() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

void throw_file_error(std::string_view action, const fs::path& path, int error_number) {
  std::string hint;
  for (const HintRow& row : kHints) {
    if (row.error_number == error_number) hint = row.hint;
  }
  throw Error(ExitCode::file_system, fmt::format("{}: {}", action, std::strerror(error_number)),
              path.string(), hint);
}

std::optional<std::string> read_file(const fs::path& path) {
  // Not std::ifstream: a build with nothing to do reads some hundred files, and it takes twice as
  // long. O_NONBLOCK: a pipe of that name is no file, and nobody may write to it.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  struct stat status {};
  std::optional<std::string> text;
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    text.emplace(static_cast<std::size_t>(status.st_size), '\0');
    for (std::size_t at = 0; text && at < text->size();) {
      const ssize_t n = ::read(fd, text->data() + at, text->size() - at);
      if (n > 0) at += static_cast<std::size_t>(n);
      if (n == 0) text->resize(at);  // it has become shorter
      if (n < 0 && errno != EINTR) text.reset();
    }
  }
  ::close(fd);
  return text;
}

fs::path nearest_folder(fs::path folder) {
  std::error_code error;
  while (folder.has_relative_path() && !fs::exists(folder, error)) folder = folder.parent_path();
  return folder;
}

std::optional<WriteRefusal> find_write_refusal(const fs::path& folder) {
  WriteRefusal refusal{nearest_folder(folder), {}};
  if (::access(refusal.where.c_str(), W_OK | X_OK) == 0) return std::nullopt;
  const int reason = errno;
  struct stat status {};
  ::stat(refusal.where.c_str(), &status);
  const struct passwd* owner = ::getpwuid(status.st_uid);
  refusal.reason = fmt::format("{}; it belongs to {}, mode {:04o}", std::strerror(reason),
                               owner != nullptr ? owner->pw_name : std::to_string(status.st_uid),
                               status.st_mode & 07777U);
  return refusal;
}

void write_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw_file_error("can't make the folder", folder, error.value());
}

void write_file(const fs::path& path, std::string_view text, bool executable) {
  write_folder(parent_of(path));
  const fs::path temporary = path.string() + "." + random_suffix() + ".tmp";
  const int fd =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, executable ? 0777 : 0666);
  if (fd < 0) throw_file_error("can't write", path, errno);
  int failed = 0;
  while (!text.empty() && failed == 0) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      failed = errno;
    }
  }
  if (::close(fd) != 0 && failed == 0) failed = errno;
  if (failed == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) failed = errno;
  if (failed != 0) {
    ::unlink(temporary.c_str());
    throw_file_error("can't write", path, failed);
  }
}

void write_all(int fd, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) throw_file_error("can't write", path, errno);
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

bool write_file_if_changed(const fs::path& path, std::string_view text) {
  if (read_file(path) == text) return false;
  write_file(path, text);
  return true;
}

fs::path write_staging_folder(const fs::path& target) {
  // "out/bundle/" is the folder "out/bundle", not a nameless one in it.
  const fs::path named = target.has_filename() ? target : target.parent_path();
  const fs::path parent = parent_of(named);
  write_folder(parent);
  const fs::path staging =
      parent / fmt::format(".{}.{}{}", named.filename().string(), random_suffix(), kStagingSuffix);
  if (::mkdir(staging.c_str(), 0777) != 0)
    throw_file_error("can't make the folder", staging, errno);
  return staging;
}

void write_copy(const fs::path& from, const fs::path& to) {
  struct stat st {};
  if (::stat(from.c_str(), &st) != 0) throw_file_error("can't read", from, errno);
  errno = 0;
  const auto bytes = read_file(from);
  if (!bytes) throw_file_error("can't read", from, errno != 0 ? errno : EIO);
  // Not std::filesystem::copy_file: it tells a full disk as an input/output error.
  write_file(to, *bytes, (st.st_mode & S_IXUSR) != 0);
}

void write_link(const fs::path& link, const fs::path& target) {
  std::error_code error;
  if (fs::read_symlink(link, error) == target) return;
  const fs::path fresh = link.string() + "." + random_suffix() + ".tmp";
  if (::symlink(target.c_str(), fresh.c_str()) != 0 || ::rename(fresh.c_str(), link.c_str()) != 0) {
    const int failed = errno;
    ::unlink(fresh.c_str());
    throw_file_error("can't make the link", link, failed);
  }
}

void write_removal(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw_file_error("can't remove", path, error.value());
}

}  // namespace dsbuild
