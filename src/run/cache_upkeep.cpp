#include "run/cache_upkeep.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

/// A writer needs seconds; what is older was left by one that was killed.
constexpr std::chrono::hours kTemporaryAge{24};

struct KeptFile {
  fs::path path;
  std::uint64_t size = 0;
  std::chrono::nanoseconds used{};  ///< since the epoch
};

/// All files below a folder; those that vanish meanwhile are none.
std::vector<KeptFile> find_files(const fs::path& folder) {
  std::vector<KeptFile> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    struct stat status {};
    if (::lstat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    files.push_back({at->path(), static_cast<std::uint64_t>(status.st_size),
                     std::chrono::seconds(status.st_mtim.tv_sec) +
                         std::chrono::nanoseconds(status.st_mtim.tv_nsec)});
  }
  return files;
}

std::vector<KeptFile> find_all(const fs::path& root) {
  std::vector<KeptFile> files = find_files(root / "files");
  for (const char* entries : {kStepEntries, kPartEntries}) {
    for (KeptFile& file : find_files(root / entries)) files.push_back(std::move(file));
  }
  return files;
}

std::chrono::nanoseconds now() {
  return std::chrono::system_clock::now().time_since_epoch();
}

void remove_file(const KeptFile& file, CacheRemoval& removal) {
  if (::unlink(file.path.c_str()) != 0 && errno != ENOENT) {
    throw_file_error("can't remove", file.path, errno);
  }
  removal.files += 1;
  removal.bytes += file.size;
}

void remove_left_files(const fs::path& root, CacheRemoval& removal) {
  for (const KeptFile& file : find_files(root / "tmp")) {
    if (now() - file.used > kTemporaryAge) remove_file(file, removal);
  }
}

/// Folders of keys that have no entry any more; one that gets an entry just now is not empty.
void remove_empty_folders(const fs::path& keys) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(keys, error), end; !error && at != end;
       at.increment(error)) {
    if (at.depth() == 1) ::rmdir(at->path().c_str());
  }
}

/// Held by whoever changes counts or trims. Where a file system has no locks, two may do it at
/// once: then a count is lost, no more.
class UpkeepLock {
 public:
  explicit UpkeepLock(const fs::path& root)
      : fd_(::open((root / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    held_ = fd_ >= 0 && (::flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
  }
  ~UpkeepLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  UpkeepLock(const UpkeepLock&) = delete;
  UpkeepLock& operator=(const UpkeepLock&) = delete;

  bool held() const { return held_; }

 private:
  int fd_ = -1;
  bool held_ = false;
};

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void read_counts(const fs::path& root, CacheStats& stats) {
  const std::vector<std::string> counts = split(read_file(root / "counts").value_or(""), " \n");
  if (counts.size() != 2) return;
  stats.hits = number_of(counts[0]);
  stats.misses = number_of(counts[1]);
}

}  // namespace

CacheStats read_cache_stats(const CachePlace& place) {
  CacheStats stats;
  const fs::path root = store_folder(place);
  for (auto [entries, count] :
       {std::pair(kStepEntries, &stats.steps), {kPartEntries, &stats.parts}}) {
    for (const KeptFile& file : find_files(root / entries)) {
      *count += 1;
      stats.bytes += file.size;
    }
  }
  for (const KeptFile& file : find_files(root / "files")) {
    stats.files += 1;
    stats.bytes += file.size;
  }
  read_counts(root, stats);
  return stats;
}

CacheRemoval write_cache_trim(const CachePlace& place, std::optional<std::chrono::seconds> unused) {
  const fs::path root = store_folder(place);
  CacheRemoval removal;
  remove_left_files(root, removal);
  std::vector<KeptFile> files = find_all(root);
  std::sort(files.begin(), files.end(),
            [](const KeptFile& a, const KeptFile& b) { return a.used < b.used; });
  for (const KeptFile& file : files) removal.bytes_left += file.size;
  const std::size_t before = removal.files;
  for (const KeptFile& file : files) {
    const bool old = unused && now() - file.used > *unused;
    if (!old && (place.limit == 0 || removal.bytes_left <= place.limit)) break;
    remove_file(file, removal);
    removal.bytes_left -= file.size;
  }
  if (removal.files > before) {
    for (const char* entries : {kStepEntries, kPartEntries}) remove_empty_folders(root / entries);
  }
  return removal;
}

CacheRemoval write_cache_removal(const CachePlace& place) {
  const fs::path root = store_folder(place);
  CacheRemoval removal;
  for (const KeptFile& file : find_files(root)) remove_file(file, removal);
  for (const char* name : {kStepEntries, kPartEntries, "files", "tmp"}) write_removal(root / name);
  return removal;
}

void write_cache_upkeep(const CachePlace& place, std::size_t hits, std::size_t misses) {
  if (!place.on() || hits + misses == 0) return;
  const fs::path root = store_folder(place);
  const UpkeepLock lock(root);
  if (!lock.held()) return;
  try {
    CacheStats stats;
    read_counts(root, stats);
    write_file(root / "counts", fmt::format("{} {}\n", stats.hits + hits, stats.misses + misses));
    if (misses > 0) write_cache_trim(place, std::nullopt);
  } catch (const Error&) {  // the steps told it
  }
}

}  // namespace dsbuild::run
