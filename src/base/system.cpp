#include "base/system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/descriptor.h"

namespace fs = std::filesystem;

namespace dsbuild {
namespace {

constexpr int kMaxLinks = 40;  // Linux gives ELOOP after 40

FileStatus status_of(const struct stat& st, const fs::path& host) {
  FileStatus status;
  status.kind = S_ISREG(st.st_mode)   ? FileStatus::Kind::file
                : S_ISDIR(st.st_mode) ? FileStatus::Kind::folder
                                      : FileStatus::Kind::other;
  status.size = static_cast<std::uint64_t>(st.st_size);
  status.mtime_ns =
      static_cast<std::int64_t>(st.st_mtim.tv_sec) * 1'000'000'000 + st.st_mtim.tv_nsec;
  status.inode = st.st_ino;
  // Without a bit for anybody there is none for us, and most files have none.
  const bool somebody = (st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
  status.executable = status.is_file() && somebody && ::access(host.c_str(), X_OK) == 0;
  return status;
}

}  // namespace

std::optional<std::string> System::env(std::string_view name) const {
  const auto found = environment().find(name);
  if (found == environment().end() || found->second.empty()) return std::nullopt;
  return found->second;
}

PosixSystem::PosixSystem(fs::path root) : PosixSystem(std::move(root), current_environment()) {}

PosixSystem::PosixSystem(fs::path root, Environment environment)
    : root_(fs::absolute(root).lexically_normal()), environment_(std::move(environment)) {
  if (root_ != root_.root_path() && !root_.has_filename()) root_ = root_.parent_path();
}

fs::path PosixSystem::host_path(const fs::path& path) const {
  if (root_ == root_.root_path()) return path;
  return root_ / path.relative_path();
}

std::optional<fs::path> PosixSystem::resolve(const fs::path& path) const {
  if (root_ == root_.root_path()) {
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr),
                                                      &std::free);
    return real ? std::optional<fs::path>(real.get()) : std::nullopt;
  }
  // Walked by hand because a link below another root is relative to that root, not to ours.
  fs::path done = "/";
  std::vector<fs::path> todo;
  const auto push = [&todo](const fs::path& more) {
    std::vector<fs::path> parts(more.begin(), more.end());
    todo.insert(todo.end(), parts.rbegin(), parts.rend());
  };
  push(path.lexically_relative("/"));
  for (int links = 0; !todo.empty();) {
    const fs::path part = todo.back();
    todo.pop_back();
    if (part == "/") continue;
    if (part.empty() || part == "." || part == "..") {
      std::error_code missing;
      if (!fs::is_directory(host_path(done), missing)) return std::nullopt;
      if (part == "..") done = done.parent_path();
      continue;
    }
    const fs::path next = done / part;
    std::error_code error;
    const fs::path target = fs::read_symlink(host_path(next), error);
    if (error) {
      done = next;
    } else if (++links > kMaxLinks) {
      return std::nullopt;
    } else {
      if (target.is_absolute()) done = "/";
      push(target.relative_path());
    }
  }
  struct stat st {};
  if (::lstat(host_path(done).c_str(), &st) != 0) return std::nullopt;
  return done;
}

bool PosixSystem::is_link(const fs::path& path) const {
  fs::path host = path;
  if (root_ != root_.root_path()) {
    const auto folder = resolve(path.parent_path());
    if (!folder) return false;
    host = host_path(*folder / path.filename());
  }
  struct stat st {};
  return ::lstat(host.c_str(), &st) == 0 && S_ISLNK(st.st_mode);
}

std::optional<FileStatus> PosixSystem::status(const fs::path& path) const {
  fs::path host = path;
  if (root_ != root_.root_path()) {
    const auto resolved = resolve(path);
    if (!resolved) return std::nullopt;
    host = host_path(*resolved);
  }
  struct stat st {};
  if (::stat(host.c_str(), &st) != 0) return std::nullopt;
  return status_of(st, host);
}

std::optional<std::string> System::read_file(const fs::path& path, std::uint64_t limit) const {
  auto text = read_start(path, limit + 1);
  if (text && text->size() > limit) return std::nullopt;
  return text;
}

std::optional<std::string> PosixSystem::read_start(const fs::path& path,
                                                   std::uint64_t bytes) const {
  const auto resolved = root_ == root_.root_path() ? path : resolve(path);
  if (!resolved) return std::nullopt;
  const Descriptor file(::open(host_path(*resolved).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return std::nullopt;
  // Files of /proc and /sys say size 0: read until the end, whatever the size.
  std::string text;
  char buffer[1 << 16];
  while (text.size() < bytes) {
    const auto wanted = std::min<std::uint64_t>(sizeof buffer, bytes - text.size());
    const ssize_t n = ::read(file.number(), buffer, wanted);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

std::vector<std::string> PosixSystem::list_folder(const fs::path& path) const {
  std::vector<std::string> names;
  const auto resolved = root_ == root_.root_path() ? path : resolve(path);
  if (!resolved) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(host_path(*resolved).c_str()),
                                                   &::closedir);
  if (!folder) return names;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Environment current_environment() {
  Environment environment;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

std::vector<fs::path> path_folders(const System& system) {
  std::vector<fs::path> folders;
  const std::string path = system.env("PATH").value_or("");
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = path.find(':', begin);
    fs::path folder = fs::path(path.substr(begin, end - begin)).lexically_normal();
    if (!folder.has_filename() && folder.has_relative_path()) folder = folder.parent_path();
    if (folder.is_absolute() &&
        std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(std::move(folder));
    }
  }
  return folders;
}

std::optional<fs::path> find_program(const System& system, std::string_view name) {
  for (const fs::path& folder : path_folders(system)) {
    const fs::path candidate = folder / name;
    const auto status = system.status(candidate);
    if (status && status->executable) return candidate;
  }
  return std::nullopt;
}

}  // namespace dsbuild
