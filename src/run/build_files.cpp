#include "run/build_files.h"

#include <set>
#include <vector>

#include "base/files.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

constexpr std::string_view kStepFileSuffix = ".argv";

/// The folders directly below the build folder in which step files lie.
std::set<fs::path> step_folders(const std::map<std::string, std::string>& files) {
  std::set<fs::path> folders;
  for (const auto& [name, text] : files) {
    if (name.ends_with(kStepFileSuffix)) folders.insert(*fs::path(name).begin());
  }
  return folders;
}

void remove_stale_step_files(const fs::path& folder,
                             const std::map<std::string, std::string>& files) {
  std::vector<fs::path> stale;
  for (const fs::path& top : step_folders(files)) {
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(folder / top, error)) {
      const std::string name = entry.path().lexically_relative(folder);
      if (name.ends_with(kStepFileSuffix) && files.count(name) == 0) stale.push_back(entry.path());
    }
  }
  for (const fs::path& path : stale) write_removal(path);
}

}  // namespace

bool write_build_files(const fs::path& folder, const std::map<std::string, std::string>& files,
                       const fs::path& launcher) {
  write_folder(folder);
  bool changed = false;
  for (const auto& [name, text] : files) {
    changed = write_file_if_changed(folder / name, text) || changed;
  }
  // Another set of steps means another build.ninja, so an unchanged folder has nothing stale.
  if (changed) remove_stale_step_files(folder, files);
  write_link(folder / "step", launcher);
  return changed;
}

}  // namespace dsbuild::run
