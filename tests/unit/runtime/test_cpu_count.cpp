#include <sched.h>

#include "runtime/cpu_count.h"
#include "toy_bundle.h"

using namespace dsops::runtime;

namespace {

// A root folder with the given files.
class FakeRoot : public TempFolder {
 public:
  explicit FakeRoot(std::initializer_list<std::pair<const char*, const char*>> files) {
    for (const auto& [name, text] : files) {
      std::filesystem::create_directories((path / name).parent_path());
      std::ofstream(path / name) << text;
    }
  }
};

}  // namespace

TEST_CASE("cpu.max is read as CPUs, rounded up, and `max` is no limit") {
  CHECK(parse_cpu_max("max 100000\n") == 0);
  CHECK(parse_cpu_max("100000 100000\n") == 1);
  CHECK(parse_cpu_max("150000 100000") == 2);
  CHECK(parse_cpu_max("1000 100000") == 1);
  CHECK(parse_cpu_max("6400000 100000") == 64);
  CHECK(parse_cpu_max("") == 0);
  CHECK(parse_cpu_max("100000") == 0);
  CHECK(parse_cpu_max("-1 100000") == 0);
}

TEST_CASE("the smallest quota on the way up counts") {
  const FakeRoot root({{"proc/self/cgroup", "0::/kubepods/pod1/app\n"},
                       {"sys/fs/cgroup/kubepods/pod1/app/cpu.max", "800000 100000\n"},
                       {"sys/fs/cgroup/kubepods/pod1/cpu.max", "300000 100000\n"},
                       {"sys/fs/cgroup/kubepods/cpu.max", "max 100000\n"}});
  CHECK(find_cgroup_cpus(root.path) == 3);
}

TEST_CASE("in a container the mount itself is the cgroup, whatever path the host gave it") {
  const FakeRoot root({{"proc/self/cgroup", "0::/system.slice/docker-1.scope\n"},
                       {"sys/fs/cgroup/cpu.max", "200000 100000\n"}});
  CHECK(find_cgroup_cpus(root.path) == 2);
}

TEST_CASE("cgroup version 1 has its quota in two files of the cpu controller") {
  const FakeRoot root({{"proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/a\n"},
                       {"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n"},
                       {"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"},
                       {"sys/fs/cgroup/memory/a/cpu.cfs_quota_us", "100000\n"},
                       {"sys/fs/cgroup/memory/a/cpu.cfs_period_us", "100000\n"}});
  CHECK(find_cgroup_cpus(root.path) == 3);
  const FakeRoot unlimited({{"proc/self/cgroup", "4:cpu,cpuacct:/\n"},
                            {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
                            {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}});
  CHECK(find_cgroup_cpus(unlimited.path) == 0);
}

TEST_CASE("without cgroups there is no quota") {
  const FakeRoot root({});
  CHECK(find_cgroup_cpus(root.path) == 0);
}

TEST_CASE("the affinity mask bounds the CPUs of this process") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  const int all = find_usable_cpus();
  CHECK(all >= 1);
  CHECK(all <= CPU_COUNT(&before));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(find_usable_cpus() == 1);
  sched_setaffinity(0, sizeof before, &before);
}
