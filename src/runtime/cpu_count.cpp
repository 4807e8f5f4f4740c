#include "runtime/cpu_count.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace dsops::runtime {
namespace {

// First 4 KiB of a file, "" if it can't be read; enough for the files of /proc and /sys read here.
std::string read_start(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::string text(4096, '\0');
  const ssize_t got = read(file, text.data(), text.size());
  close(file);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

// A decimal number at the start of text, which it is taken from; -1 if there is none.
long long take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  long long value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

int cpus_of(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<int>(std::clamp<long long>((quota + period - 1) / period, 1, 1 << 20));
}

int smaller_quota(int a, int b) {
  return a == 0 ? b : b == 0 ? a : std::min(a, b);
}

// Quota of one cgroup folder, by either version's files.
int read_quota(const std::string& folder) {
  const std::string v2 = read_start(folder + "/cpu.max");
  if (!v2.empty()) return parse_cpu_max(v2);
  const std::string v1_quota = read_start(folder + "/cpu.cfs_quota_us");
  const std::string v1_period = read_start(folder + "/cpu.cfs_period_us");
  std::string_view quota = v1_quota;
  std::string_view period = v1_period;
  return cpus_of(take_number(quota), take_number(period));
}

// Smallest quota from `mount` + `path` up to `mount`. In a container, path may name a folder that
// only the host sees; then the mount itself is the container's.
int smallest_quota(const std::string& mount, std::string path) {
  int smallest = 0;
  while (true) {
    smallest = smaller_quota(smallest, read_quota(mount + path));
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return smallest;
    path.resize(slash);
  }
}

}  // namespace

int parse_cpu_max(std::string_view text) {
  const long long quota = take_number(text);
  return quota < 0 ? 0 : cpus_of(quota, take_number(text));
}

// https://docs.kernel.org/admin-guide/cgroup-v2.html: a line of /proc/self/cgroup is
// "0::/path" in version 2 and "number:controllers:/path" in version 1.
int find_cgroup_cpus(const std::string& root) {
  const std::string lines = read_start(root + "/proc/self/cgroup");
  const std::string mount = root + "/sys/fs/cgroup";
  int smallest = 0;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string line = lines.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    if (controllers.empty()) {
      smallest = smaller_quota(smallest, smallest_quota(mount, path));
    } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      smallest = smaller_quota(smallest, smallest_quota(mount + "/" + controllers, path));
      smallest = smaller_quota(smallest, smallest_quota(mount + "/cpu", path));
    }
  }
  return smallest;
}

int find_usable_cpus() {
  // The mask can be larger than cpu_set_t; the kernel says so by EINVAL.
  int count = 1;
  for (int cpus = CPU_SETSIZE; cpus <= CPU_SETSIZE * 64; cpus *= 2) {
    std::vector<unsigned long> mask(CPU_ALLOC_SIZE(cpus) / sizeof(unsigned long));
    auto* set = reinterpret_cast<cpu_set_t*>(mask.data());
    if (sched_getaffinity(0, CPU_ALLOC_SIZE(cpus), set) != 0) continue;
    count = CPU_COUNT_S(CPU_ALLOC_SIZE(cpus), set);
    break;
  }
  const int quota = find_cgroup_cpus("");
  return std::max(1, quota == 0 ? count : std::min(count, quota));
}

}  // namespace dsops::runtime
