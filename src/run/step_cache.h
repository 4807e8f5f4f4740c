// Whether a step's result is known already: by its command, environment and toolchain
// (StepFile::hash), the contents of its inputs, and then the contents of every file that it read.
// Knows one step; how files are kept is cache_store.h's.
#pragma once

#include <time.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/step_file.h"
#include "run/cache_names.h"
#include "run/cache_store.h"

namespace dsbuild::run {

struct CacheEntry;

/// The environment variable by which a build tells its steps of the cache.
inline constexpr const char* kCacheVariable = "DSBUILD_STEP_CACHE";
std::string render_cache_place(const CachePlace& place);
/// A place that is off for a text that isn't one.
CachePlace parse_cache_place(std::string_view text);
/// Where the build of this step says that the cache is.
CachePlace find_cache_place();

class StepCache {
 public:
  /// To be made before the step's command starts: what changes from then on is not trusted. Reads
  /// the inputs. `folder`: the build folder.
  StepCache(const CachePlace& place, const plan::StepFile& step, std::filesystem::path folder);

  /// False when there is no cache, or the step doesn't tell all that it reads: it has no depfile
  /// and isn't said to read its inputs alone.
  bool usable() const { return !key_.empty(); }
  /// Puts outputs and depfile where the step would, and what it said to the file `log`. False when
  /// the result isn't known. Throws Error(file_system) when the build folder can't be written.
  bool take(int log);
  /// Keeps what the step made. `read`: names of its depfile. Returns why it could not be kept;
  /// empty also for what had better not be: a file changed while the step ran, or the outputs are
  /// larger than a fifth of the
  /// cache.
  std::string keep(const std::vector<std::string>& read, std::string_view said);

 private:
  std::string make_key();
  const std::optional<std::string>& digest_of(const std::string& path);
  bool holds(const CacheEntry& entry);
  bool take_outputs(const CacheEntry& entry) const;
  bool changed_meanwhile(const std::string& path) const;
  bool too_large() const;
  std::map<std::string, std::string> find_bound() const;

  CachePlace place_;
  CacheStore store_;
  const plan::StepFile& step_;
  std::filesystem::path folder_;
  std::map<std::string, std::string> roots_;  ///< of the step, and the build folder
  CacheNames names_;
  timespec started_{};
  std::map<std::string, std::optional<std::string>> digests_;  ///< by path
  std::string key_;
};

}  // namespace dsbuild::run
