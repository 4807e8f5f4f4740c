#include "probe/host/cgroup.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

std::optional<double> parse_number(std::string_view text) {
  std::int64_t number = 0;
  text = trim(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<double>(number);
}

std::optional<double> read_number(const System& system, const fs::path& file) {
  const auto text = system.read_file(file);
  return text ? parse_number(*text) : std::nullopt;
}

/// The folder of the process's own group for a controller, and all above it, the mount last. In a
/// container the group's path may be the host's and not exist here: then only some of them do.
std::vector<fs::path> group_folders(const System& system, std::string_view controller) {
  const fs::path mount = "/sys/fs/cgroup";
  const bool v2 = controller.empty();
  const fs::path top = v2 ? mount : mount / controller;
  std::vector<fs::path> folders;
  // Lines are id:controllers:path, https://man7.org/linux/man-pages/man7/cgroups.7.html.
  for (const std::string& line : split_lines(system.read_file("/proc/self/cgroup").value_or(""))) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const auto names = split(controllers, ",");
    const bool mine =
        v2 ? controllers.empty() : std::find(names.begin(), names.end(), controller) != names.end();
    if (!mine) continue;
    fs::path group = fs::path(line.substr(second + 1)).lexically_normal().relative_path();
    for (; !group.empty(); group = group.parent_path()) folders.push_back(top / group);
  }
  folders.push_back(top);
  return folders;
}

/// The smallest of `read(folder)` over the groups of both versions.
std::optional<CgroupLimit> find_smallest(
    const System& system, std::string_view controller,
    const std::function<std::optional<CgroupLimit>(const fs::path&, bool v2)>& read) {
  std::optional<CgroupLimit> smallest;
  for (const bool v2 : {true, false}) {
    for (const fs::path& folder : group_folders(system, v2 ? "" : controller)) {
      const auto limit = read(folder, v2);
      if (limit && (!smallest || limit->value < smallest->value)) smallest = limit;
    }
  }
  return smallest;
}

}  // namespace

std::optional<CgroupLimit> find_memory_limit(const System& system) {
  return find_smallest(
      system, "memory", [&](const fs::path& folder, bool v2) -> std::optional<CgroupLimit> {
        const fs::path file = folder / (v2 ? "memory.max" : "memory.limit_in_bytes");
        const auto bytes = read_number(system, file);  // "max" is no number
        if (!bytes || *bytes <= 0) return std::nullopt;
        return CgroupLimit{*bytes, file.string()};
      });
}

std::optional<CgroupLimit> find_cpu_limit(const System& system) {
  return find_smallest(system, "cpu",
                       [&](const fs::path& folder, bool v2) -> std::optional<CgroupLimit> {
                         std::optional<double> quota;
                         std::optional<double> period;
                         const fs::path file = folder / (v2 ? "cpu.max" : "cpu.cfs_quota_us");
                         if (v2) {
                           const auto words = split(system.read_file(file).value_or(""), " \n");
                           if (words.size() == 2) {
                             quota = parse_number(words[0]);
                             period = parse_number(words[1]);
                           }
                         } else {
                           quota = read_number(system, file);  // -1: no limit
                           period = read_number(system, folder / "cpu.cfs_period_us");
                         }
                         if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
                         return CgroupLimit{*quota / *period, file.string()};
                       });
}

}  // namespace dsbuild::probe
