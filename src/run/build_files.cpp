#include "run/build_files.h"

#include <unistd.h>

#include <cerrno>
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

void link_launcher(const fs::path& link, const fs::path& launcher) {
  std::error_code error;
  if (fs::read_symlink(link, error) == launcher) return;
  // Replaced by rename: a step that is about to start must find the one or the other.
  const fs::path fresh = link.string() + ".new";
  ::unlink(fresh.c_str());
  if (::symlink(launcher.c_str(), fresh.c_str()) != 0 ||
      ::rename(fresh.c_str(), link.c_str()) != 0) {
    throw_file_error("can't make the link", link, errno);
  }
}

}  // namespace

void write_build_files(const fs::path& folder, const std::map<std::string, std::string>& files,
                       const fs::path& launcher) {
  write_folder(folder);
  bool changed = false;
  for (const auto& [name, text] : files) {
    changed = write_file_if_changed(folder / name, text) || changed;
  }
  // Another set of steps means another build.ninja, so an unchanged folder has nothing stale.
  if (changed) remove_stale_step_files(folder, files);
  link_launcher(folder / "step", launcher);
}

}  // namespace dsbuild::run
