#include "run/cache_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <random>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

/// Each edit of a header that a step reads adds an entry under its key.
constexpr std::size_t kEntriesPerKey = 16;
constexpr std::size_t kPiece = 1u << 20;

/// A file of our own in `folder`, removed unless it is published. Its name is random, not from the
/// process's number: hosts that share the folder have equal ones.
class PrivateFile {
 public:
  explicit PrivateFile(const fs::path& folder) {
    std::random_device device;
    path_ = folder / fmt::format("{:08x}{:08x}{:08x}.tmp", device(), device(), device());
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd_ < 0) throw_file_error("can't write", folder, errno);
  }
  ~PrivateFile() {
    ::close(fd_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;

  int fd() const { return fd_; }
  const fs::path& path() const { return path_; }

  void publish(const fs::path& target, mode_t mode) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(fd_, mode & ~mask) != 0 || ::rename(path_.c_str(), target.c_str()) != 0) {
      throw_file_error("can't write", target, errno);
    }
    path_.clear();
  }

 private:
  fs::path path_;
  int fd_ = -1;
};

/// Whether copy_file_range does it: it shares the blocks where the file system can. It may refuse
/// at the beginning (other file system, old kernel), never half way.
bool copy_by_kernel(int from, int to) {
  for (bool first = true;; first = false) {
    const ssize_t n = ::copy_file_range(from, nullptr, to, nullptr, 1u << 30, 0);
    if (n == 0) return !first || ::lseek(from, 0, SEEK_END) == 0;
    if (n < 0 && errno != EINTR) return false;
  }
}

/// errno, or 0.
int copy_by_hand(int from, int to) {
  std::string piece(kPiece, '\0');
  if (::lseek(from, 0, SEEK_SET) != 0 || ::lseek(to, 0, SEEK_SET) != 0) return errno;
  for (;;) {
    const ssize_t n = ::read(from, piece.data(), piece.size());
    if (n == 0) return 0;
    if (n < 0 && errno != EINTR) return errno;
    for (ssize_t done = 0; done < n;) {
      const ssize_t written = ::write(to, piece.data() + done, static_cast<std::size_t>(n - done));
      if (written < 0 && errno != EINTR) return errno;
      done += std::max<ssize_t>(written, 0);
    }
  }
}

/// errno, or 0.
int copy_bytes(int from, int to) {
  errno = 0;
  if (copy_by_kernel(from, to)) return 0;
  if (errno == ENOSPC || errno == EDQUOT || errno == EIO) return errno;
  return copy_by_hand(from, to);
}

std::string digest_of(int fd, const fs::path& path) {
  std::string piece(kPiece, '\0');
  Hasher hasher;
  for (off_t at = 0;;) {
    const ssize_t n = ::pread(fd, piece.data(), piece.size(), at);
    if (n < 0 && errno != EINTR) throw_file_error("can't read", path, errno);
    if (n == 0) return hasher.hex();
    if (n > 0) hasher.bytes({piece.data(), static_cast<std::size_t>(n)});
    at += std::max<ssize_t>(n, 0);
  }
}

struct timespec mtime_of(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mtim : timespec{};
}

/// Of a key's folder: its files, the latest used first. One that vanishes meanwhile is none.
std::vector<fs::path> files_by_use(const fs::path& folder) {
  std::vector<std::pair<std::pair<std::int64_t, std::int64_t>, fs::path>> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const timespec used = mtime_of(at->path());
    files.push_back({{-used.tv_sec, -used.tv_nsec}, at->path()});
  }
  std::sort(files.begin(), files.end());
  std::vector<fs::path> paths;
  for (auto& [used, path] : files) paths.push_back(std::move(path));
  return paths;
}

}  // namespace

fs::path store_folder(const CachePlace& place) {
  return place.folder / "steps-1";
}

fs::path CacheStore::key_folder(const std::string& key) const {
  return entries_ / key.substr(0, 2) / key.substr(2);
}

fs::path CacheStore::file_path(const std::string& digest) const {
  return root_ / "files" / digest.substr(0, 2) / digest.substr(2);
}

void CacheStore::make_root() const {
  write_folder(root_ / "tmp");
  // https://bford.info/cachedir/: backups leave such folders out.
  const fs::path tag = root_ / "CACHEDIR.TAG";
  if (::access(tag.c_str(), F_OK) == 0) return;
  write_file(tag,
             "Signature: 8a477f597d28d172789f06886806bc55\n"
             "# Results of dsbuild's steps. Anything here may be removed at any time.\n");
}

std::vector<CacheStore::Entry> CacheStore::entries(const std::string& key) const {
  std::vector<Entry> entries;
  for (const fs::path& path : files_by_use(key_folder(key))) {
    auto text = read_file(path);
    if (!text) continue;
    if (sha256(*text) == path.filename()) {
      entries.push_back({path, std::move(*text)});
    } else {
      drop(path);
    }
  }
  return entries;
}

bool CacheStore::take_file(const std::string& digest, const fs::path& target,
                           bool executable) const {
  const fs::path path = file_path(digest);
  const Descriptor from(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!from) return false;
  PrivateFile made(target.parent_path());
  if (const int error = copy_bytes(from.number(), made.fd()); error != 0) {
    throw_file_error("can't write", target, error);
  }
  if (digest_of(made.fd(), made.path()) != digest) {
    drop(path);
    return false;
  }
  made.publish(target, executable ? 0777 : 0666);
  touch(path);
  return true;
}

std::string CacheStore::put_file(const fs::path& from) const {
  make_root();
  const Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source) throw_file_error("can't read", from, errno);
  PrivateFile copy(root_ / "tmp");
  if (const int error = copy_bytes(source.number(), copy.fd()); error != 0) {
    throw_file_error("can't write", root_, error);
  }
  // Of the copy: what is kept is what was digested.
  const std::string digest = digest_of(copy.fd(), copy.path());
  const fs::path target = file_path(digest);
  write_folder(target.parent_path());
  copy.publish(target, 0444);
  return digest;
}

std::string CacheStore::put_text(std::string_view text) const {
  make_root();
  PrivateFile file(root_ / "tmp");
  write_all(file.fd(), text, root_);
  std::string digest = sha256(text);
  const fs::path target = file_path(digest);
  write_folder(target.parent_path());
  file.publish(target, 0444);
  return digest;
}

void CacheStore::put_entry(const std::string& key, std::string_view text) const {
  make_root();
  const fs::path folder = key_folder(key);
  write_folder(folder);
  const std::vector<fs::path> others = files_by_use(folder);
  for (std::size_t i = kEntriesPerKey - 1; i < others.size(); ++i) drop(others[i]);
  PrivateFile file(root_ / "tmp");
  write_all(file.fd(), text, root_);
  file.publish(folder / sha256(text), 0444);
}

void CacheStore::touch(const fs::path& path) {
  // What can't be touched is removed sooner; a cache that can only be read is nobody's to trim.
  (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

void CacheStore::drop(const fs::path& path) {
  ::unlink(path.c_str());
}

}  // namespace dsbuild::run
