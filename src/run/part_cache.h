// Whether the result of one program that a compiler runs is known: by the program, the toolchain,
// its words and the contents of the files that they name, but for names that say nothing
// (part_names.h). Knows words and files; how files are kept is cache_store.h's.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/step_file.h"
#include "run/cache_store.h"
#include "run/part_names.h"

namespace dsbuild::run {

struct CacheEntry;

class PartCache {
 public:
  /// To be made before the program starts: what its words name then is what it reads, what they
  /// name afterwards is what it made.
  PartCache(const CachePlace& place, const plan::StepFile& step, std::string name,
            const std::vector<std::string>& words);

  /// False when there is no cache, or the words can't be understood.
  bool usable() const { return !key_.empty(); }
  const std::string& name() const { return name_; }
  /// Puts the files where the program would and returns what it said; nothing when the result isn't
  /// known.
  std::optional<std::string> take() const;
  /// Keeps what the program made and said. What can't be kept is not; the next one makes it anew.
  void keep(std::string_view said) const;

 private:
  struct Read {
    std::string hidden;
    std::filesystem::file_time_type time;
  };

  bool read_files(const std::string& pattern);
  std::string make_key(const plan::StepFile& step) const;
  std::string exact_key() const;
  bool take_file(const std::string& digest, const std::string& path) const;
  bool take_files(const CacheEntry& entry) const;
  bool keep_file(const std::string& path, CacheEntry& entry, bool& exact) const;

  CachePlace place_;
  CacheStore store_;
  std::string name_;
  const std::vector<std::string>& words_;
  PartNames names_;
  std::map<std::string, Read> read_;  ///< by path
  std::string key_;
};

}  // namespace dsbuild::run
