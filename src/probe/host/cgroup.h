// What control groups (v1 and v2) allow this process. Knows /proc/self/cgroup and the two layouts
// of /sys/fs/cgroup, not what is done with the numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/system.h"

namespace dsbuild::probe {

/// A limit and the file that sets it.
struct CgroupLimit {
  double value = 0;
  std::string file;
};

/// Bytes: the smallest limit of the process's group and those above it; empty when there is none.
/// Version 1 writes "no limit" as a number near 2^63, which is larger than any memory.
std::optional<CgroupLimit> find_memory_limit(const System& system);

/// CPUs worth of time (1.5 is a quota of 150 ms in 100 ms); empty when there is none.
std::optional<CgroupLimit> find_cpu_limit(const System& system);

}  // namespace dsbuild::probe
