#include <algorithm>

#include "run/build.h"

namespace dsbuild::run {

int default_jobs(std::int64_t cpus, std::int64_t memory) {
  // Without a reserve, hosts of hundreds of GB were planned full and went down
  // (https://github.com/Dao-AILab/flash-attention/issues/2493).
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  if (memory <= 0) return static_cast<int>(std::max<std::int64_t>(cpus, 1));
  const std::int64_t reserve = std::max(memory / 10, 2 * kGiB);
  return static_cast<int>(std::max<std::int64_t>(std::min(cpus, (memory - reserve) / kGiB), 1));
}

}  // namespace dsbuild::run
