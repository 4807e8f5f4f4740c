#include "probe/host/limits.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

constexpr std::array<FileSystemRow, 19> kFileSystems{{
    {0xEF53, "ext", false},       {0x58465342, "xfs", false},   {0x9123683E, "btrfs", false},
    {0x2FC12FC1, "zfs", false},   {0x01021994, "tmpfs", false}, {0x794C7630, "overlay", false},
    {0xF2F52010, "f2fs", false},  {0x4D44, "vfat", false},      {0x65735546, "fuse", false},
    {0x01021997, "9p", true},     {0x6969, "nfs", true},        {0x517B, "smb", true},
    {0xFE534D42, "smb2", true},   {0xFF534D42, "cifs", true},   {0x0BD00BD0, "lustre", true},
    {0x47504653, "gpfs", true},   {0x00C36400, "ceph", true},   {0x5346414F, "afs", true},
    {0x19830326, "beegfs", true},
}};

struct UlimitRow {
  const char* name;
  decltype(RLIMIT_NOFILE) resource;
};
constexpr std::array<UlimitRow, 3> kUlimits{
    {{"open files", RLIMIT_NOFILE}, {"locked memory", RLIMIT_MEMLOCK}, {"stack", RLIMIT_STACK}}};

constexpr const char* kOtherMachine = "the root is not the running machine's";

fs::path nearest_folder(const System& system, fs::path path) {
  while (path.has_relative_path() && !system.exists(path)) path = path.parent_path();
  return path;
}

FolderLimits find_folder(const Scene& scene, std::string_view use, const fs::path& path) {
  FolderLimits folder;
  folder.use = use;
  folder.path = path.string();
  const auto miss = [&folder](const std::string& reason) {
    folder.size = Fact<std::int64_t>::missing(reason);
    folder.free = Fact<std::int64_t>::missing(reason);
    folder.file_system = Fact<std::string>::missing(reason);
    return folder;
  };
  if (!scene.options.same_host) return miss(kOtherMachine);
  if (!path.is_absolute()) return miss("no absolute path");
  // Shared memory is a mount of its own: its parent's size says nothing.
  const fs::path there = use == kSharedMemory ? path : nearest_folder(scene.system, path);
  const fs::path host = scene.system.host_path(there);
  struct statvfs space {};
  struct statfs kind {};
  if (::statvfs(host.c_str(), &space) != 0 || ::statfs(host.c_str(), &kind) != 0) {
    return miss(fmt::format("{}: {}", there.string(), std::strerror(errno)));
  }
  const std::string source = "statvfs " + there.string();
  folder.size =
      Fact<std::int64_t>::known(static_cast<std::int64_t>(space.f_blocks * space.f_frsize), source);
  folder.free =
      Fact<std::int64_t>::known(static_cast<std::int64_t>(space.f_bavail * space.f_frsize), source);
  const auto magic = static_cast<std::uint32_t>(kind.f_type);
  const FileSystemRow* row = find_file_system(magic);
  folder.file_system = Fact<std::string>::known(
      row != nullptr ? row->name : fmt::format("0x{:x}", magic), "statfs " + there.string());
  folder.network = row != nullptr && row->network;
  folder.noexec = (space.f_flag & ST_NOEXEC) != 0;
  return folder;
}

Fact<std::string> find_ulimit(const UlimitRow& row) {
  rlimit limit{};
  if (::getrlimit(row.resource, &limit) != 0) {
    return Fact<std::string>::missing(std::strerror(errno), "getrlimit");
  }
  return Fact<std::string>::known(
      limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur), "getrlimit");
}

}  // namespace

const FileSystemRow* find_file_system(std::uint32_t magic) {
  const auto row = std::find_if(kFileSystems.begin(), kFileSystems.end(),
                                [magic](const FileSystemRow& r) { return r.magic == magic; });
  return row == kFileSystems.end() ? nullptr : &*row;
}

Limits find_limits(const Scene& scene) {
  Limits limits;
  limits.folders.push_back(find_folder(scene, kSharedMemory, "/dev/shm"));
  limits.folders.push_back(find_folder(scene, "temp", scene.system.env("TMPDIR").value_or("/tmp")));
  if (!scene.options.cache_folder.empty()) {
    limits.folders.push_back(find_folder(scene, "cache", scene.options.cache_folder));
  }
  for (const UlimitRow& row : kUlimits) {
    limits.ulimits[row.name] =
        scene.options.same_host ? find_ulimit(row) : Fact<std::string>::missing(kOtherMachine);
  }
  return limits;
}

}  // namespace dsbuild::probe
