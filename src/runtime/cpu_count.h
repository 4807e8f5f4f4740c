// Knows how many CPUs this process may keep busy: its affinity mask and its cgroup's quota.
// Does not know threads.
#pragma once

#include <string>
#include <string_view>

namespace dsops::runtime {

/// CPUs that a quota allows, rounded up; 0 if there is none or the text is not one. The text is
/// that of cgroup v2's cpu.max: "max 100000" or "150000 100000", microseconds of quota and of
/// period.
int parse_cpu_max(std::string_view text);

/// The smallest quota of the process's cgroup and of those above it, v2 or v1; 0 if there is none.
/// `root` stands before /proc and /sys; "" on a real system.
int find_cgroup_cpus(const std::string& root);

/// CPUs in the affinity mask, at most the cgroup's quota, at least 1.
int find_usable_cpus();

}  // namespace dsops::runtime
