// The step cache as a whole: how much there is, what leaves it, how often it served.
// Knows the folder's files and their times; nothing of what is in them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "run/cache_store.h"

namespace dsbuild::run {

struct CacheStats {
  std::uint64_t bytes = 0;
  std::size_t steps = 0;  ///< results that are known
  std::size_t parts = 0;  ///< the same of what compilers run for each arch
  std::size_t files = 0;  ///< different contents
  // Since the cache was made, or emptied.
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
};
CacheStats read_cache_stats(const CachePlace& place);

struct CacheRemoval {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_left = 0;
};
/// Removes what was not used for so long, then the least recently used until the limit is kept, and
/// what killed writers left. Throws Error(file_system) when a file can't be removed.
CacheRemoval write_cache_trim(const CachePlace& place, std::optional<std::chrono::seconds> unused);
/// Removes everything, the counts too.
CacheRemoval write_cache_removal(const CachePlace& place);

/// At the end of a build: counts its hits and misses, and trims after misses, unless another
/// process is at it. One look at all files of the cache, where each step would be one. A cache that
/// can't be written stays as it is.
void write_cache_upkeep(const CachePlace& place, std::size_t hits, std::size_t misses);

}  // namespace dsbuild::run
