#include "probe/scene.h"

#include <fnmatch.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <utility>

#include "base/version.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

/// Questions at once, however few cores there are: who asks waits, and one that hangs must not keep
/// another from being asked.
constexpr int kAtOnce = 16;

bool is_executable(const System& system, const fs::path& path) {
  const auto status = system.status(path);
  return status && status->executable;
}

}  // namespace

void for_each(const Scene& scene, std::size_t count, const std::function<void(std::size_t)>& look) {
  if (scene.answers.tools_allowed()) {
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, kAtOnce);
    tbb::task_arena(kAtOnce).execute(
        [&] { tbb::parallel_for(std::size_t{0}, count, look, tbb::simple_partitioner()); });
  } else {
    for (std::size_t i = 0; i < count; ++i) look(i);
  }
}

std::vector<fs::path> find_paths(const System& system, const fs::path& pattern) {
  std::vector<fs::path> found{"/"};
  for (const fs::path& part : pattern.relative_path()) {
    std::vector<fs::path> next;
    for (const fs::path& folder : found) {
      if (part.string().find('*') == std::string::npos) {
        next.push_back(folder / part);
        continue;
      }
      for (const std::string& name : system.list_folder(folder)) {
        if (::fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) == 0) next.push_back(folder / name);
      }
    }
    found = std::move(next);
  }
  std::erase_if(found, [&](const fs::path& path) { return !system.exists(path); });
  return found;
}

std::vector<FolderListing> find_path_folders(const System& system) {
  std::vector<FolderListing> folders;
  std::vector<fs::path> seen;
  for (const fs::path& folder : path_folders(system)) {
    // /bin is a link to /usr/bin on merged systems.
    const auto real = system.resolve(folder);
    if (!real || std::find(seen.begin(), seen.end(), *real) != seen.end()) continue;
    seen.push_back(*real);
    folders.push_back({folder, system.list_folder(folder)});
  }
  return folders;
}

std::vector<fs::path> find_commands(const System& system, const std::vector<FolderListing>& folders,
                                    std::string_view name) {
  std::vector<fs::path> found;
  for (const FolderListing& listing : folders) {
    if (!std::binary_search(listing.names.begin(), listing.names.end(), name)) continue;
    fs::path path = listing.folder / name;
    if (is_executable(system, path)) found.push_back(std::move(path));
  }
  return found;
}

std::vector<fs::path> find_versioned_commands(const System& system,
                                              const std::vector<FolderListing>& folders,
                                              std::string_view name) {
  const std::string prefix = std::string(name) + "-";
  std::vector<std::pair<Version, fs::path>> found;
  for (const FolderListing& listing : folders) {
    auto at = std::lower_bound(listing.names.begin(), listing.names.end(), prefix);
    for (; at != listing.names.end() && at->starts_with(prefix); ++at) {
      const std::string number = at->substr(prefix.size());
      auto version = Version::parse(number);
      if (!version || version->number() != number) continue;
      fs::path path = listing.folder / *at;
      if (is_executable(system, path)) found.emplace_back(*std::move(version), std::move(path));
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<fs::path> paths;
  for (auto& [version, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace dsbuild::probe
