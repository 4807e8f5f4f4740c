// The files of the step cache: entries by key, what steps made by content. Everything is written
// once, in a private file that is renamed, and is checked against its digest when it is taken: any
// number of processes, on any number of hosts, may read, write and remove at once, and one that is
// killed leaves nothing that is taken. Knows files and digests; nothing of steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dsbuild::run {

/// Where results of steps are kept, and how many bytes of them (0: any number).
struct CachePlace {
  std::filesystem::path folder;  ///< absolute; empty: no cache
  std::uint64_t limit = 0;

  bool on() const { return !folder.empty(); }
  /// Of a result of so many bytes: one that is large must not push out all others.
  bool takes(std::uint64_t bytes) const { return limit == 0 || bytes <= limit / kShareOfOne; }

 private:
  static constexpr std::uint64_t kShareOfOne = 5;
};

/// What the step cache has below its folder. The number is that of the form: other versions of
/// dsbuild may share the folder, and so may the answers of tools (--cache-dir).
std::filesystem::path store_folder(const CachePlace& place);

/// Where entries lie: of whole steps, and of what a step's compiler runs itself.
inline constexpr const char* kStepEntries = "keys";
inline constexpr const char* kPartEntries = "parts";

class CacheStore {
 public:
  explicit CacheStore(const CachePlace& place, const char* entries = kStepEntries)
      : root_(store_folder(place)), entries_(root_ / entries) {}

  struct Entry {
    std::filesystem::path path;
    std::string text;
  };
  /// What is kept under `key` (a digest), the latest used first. Broken ones are removed.
  std::vector<Entry> entries(const std::string& key) const;
  /// Makes `target` the file of that content. False when it is not there, or is broken, in which
  /// case it is removed. Throws Error(file_system) when `target` can't be written.
  bool take_file(const std::string& digest, const std::filesystem::path& target,
                 bool executable) const;
  /// Keeps a copy of `from` and returns its digest. Throws Error(file_system).
  std::string put_file(const std::filesystem::path& from) const;
  /// The same with a text.
  std::string put_text(std::string_view text) const;
  void put_entry(const std::string& key, std::string_view text) const;
  /// Says that a file was used.
  static void touch(const std::filesystem::path& path);
  static void drop(const std::filesystem::path& path);
  std::filesystem::path file_path(const std::string& digest) const;

 private:
  std::filesystem::path key_folder(const std::string& key) const;
  void make_root() const;

  std::filesystem::path root_;
  std::filesystem::path entries_;
};

}  // namespace dsbuild::run
