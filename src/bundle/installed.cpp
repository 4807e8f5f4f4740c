#include "bundle/installed.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/json.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

constexpr int kSchema = 1;

fs::path list_path(const InstallPlace& place) {
  return place.own / "installed.json";
}

fs::path kept_path(const InstallPlace& place, const std::string& path) {
  return place.own / "kept" / path;
}

/// Empty when there is no such file.
std::string hash_of(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) ? sha256_file(path) : "";
}

fs::perms mode_of(const fs::path& path, fs::perms usual) {
  std::error_code error;
  const auto status = fs::status(path, error);
  return fs::exists(status) ? status.permissions() : usual;
}

void set_mode(const fs::path& path, fs::perms mode) {
  std::error_code ignored;  // a file system without modes
  fs::permissions(path, mode, ignored);
}

void write_list(const InstallPlace& place, const Installed& installed) {
  Json files = Json::object();
  for (const auto& [path, file] : installed.files)
    files[path] = {
        {"op", file.op}, {"sha256", file.sha256}, {"kept", file.kept}, {"before", file.before}};
  write_file(list_path(place), dump_json({{"schema", kSchema},
                                          {"complete", installed.complete},
                                          {"accelerator", installed.accelerator},
                                          {"files", files},
                                          {"folders", installed.folders}}));
  set_mode(list_path(place), mode_of(place.like, fs::perms::owner_read));
}

/// Folders above `path` that are not there yet, the outer ones first.
std::vector<std::string> missing_folders(const InstallPlace& place, const std::string& path) {
  std::vector<std::string> missing;
  for (fs::path folder = fs::path(path).parent_path(); !folder.empty();
       folder = folder.parent_path()) {
    if (!fs::exists(place.site / folder)) missing.insert(missing.begin(), folder.string());
  }
  return missing;
}

/// Content and, where nothing was there before, the mode of the package's own files. Kept as it was
/// otherwise.
void put(const fs::path& from, const fs::path& to, fs::perms usual) {
  const fs::perms mode = mode_of(to, usual);
  write_copy(from, to);
  set_mode(to, mode);
}

}  // namespace

void check_writable(const fs::path& folder) {
  const auto refusal = find_write_refusal(folder);
  if (!refusal) return;
  throw Error(ExitCode::file_system, "nothing can be installed there: " + refusal->reason,
              refusal->where.string(),
              "install as its owner, or into an environment of your own: --python PATH");
}

Installed read_installed(const InstallPlace& place) {
  const auto text = read_file(list_path(place));
  if (!text) return {};
  try {
    const Json json = Json::parse(*text);
    if (json.at("schema") != kSchema) throw std::invalid_argument("another version made it");
    Installed installed{json.at("complete"), json.at("accelerator"), {}, json.at("folders")};
    for (const auto& [path, file] : json.at("files").items())
      installed.files[path] = {file.at("op"), file.at("sha256"), file.at("kept"),
                               file.at("before")};
    return installed;
  } catch (const std::exception& error) {
    throw Error(ExitCode::bad_artifact,
                fmt::format("what dsbuild installed here can't be read: {}", error.what()),
                list_path(place).string(), "install the package anew, and remove this file");
  }
}

void write_installed(const InstallPlace& place, Installed installed,
                     const std::map<std::string, NewFile>& files, const std::string& last) {
  for (const auto& [path, file] : files) {
    const fs::path target = place.site / path;
    const std::string present = hash_of(target);
    InstalledFile& entry = installed.files[path];
    // What stands there may be ours already: what it replaced is what is kept.
    if (present.empty() || present != entry.sha256) {
      entry.kept = present;
      if (!present.empty()) put(target, kept_path(place, path), mode_of(target, {}));
    }
    entry.before = present == entry.sha256 ? present : "";
    entry.op = file.op;
    for (std::string& folder : missing_folders(place, path)) {
      const auto known = std::find(installed.folders.begin(), installed.folders.end(), folder);
      if (known == installed.folders.end()) installed.folders.push_back(std::move(folder));
    }
  }
  // Until the files are there, what stands there is what was kept, or what was ours before.
  for (const auto& [path, file] : files) installed.files[path].sha256 = sha256_file(file.from);
  installed.complete = false;
  write_list(place, installed);
  const fs::perms folder_mode = mode_of(place.like.parent_path(), fs::perms::owner_all);
  const fs::perms file_mode = mode_of(place.like, fs::perms::owner_read | fs::perms::owner_write);
  for (const std::string& folder : installed.folders) {
    if (fs::exists(place.site / folder)) continue;
    write_folder(place.site / folder);
    set_mode(place.site / folder, folder_mode);
  }
  for (const auto& [path, file] : files) {
    stop_if_interrupted();
    if (path != last) put(file.from, place.site / path, file_mode);
  }
  put(files.at(last).from, place.site / last, file_mode);
  installed.complete = true;
  write_list(place, installed);
}

std::vector<TakenBack> write_uninstall(
    const InstallPlace& place, const Installed& installed, const std::string& first,
    const std::function<bool(const InstalledFile&)>& still_wanted) {
  std::vector<TakenBack> done;
  const auto take_back = [&](const std::string& path, const InstalledFile& file) {
    const fs::path target = place.site / path;
    const std::string present = hash_of(target);
    if (present == file.kept || present.empty()) return;
    const bool ours = present == file.sha256 || present == file.before;
    if (!ours || still_wanted(file)) {
      done.push_back({path, TakenBack::What::left});
    } else if (file.kept.empty()) {
      write_removal(target);
      done.push_back({path, TakenBack::What::removed});
    } else {
      put(kept_path(place, path), target, {});
      done.push_back({path, TakenBack::What::restored});
    }
  };
  const auto leading = installed.files.find(first);
  if (leading != installed.files.end()) take_back(first, leading->second);
  for (const auto& [path, file] : installed.files) {
    if (path != first) take_back(path, file);
  }
  for (auto folder = installed.folders.rbegin(); folder != installed.folders.rend(); ++folder) {
    std::error_code not_empty;
    fs::remove(place.site / *folder, not_empty);
  }
  write_removal(place.own);
  return done;
}

}  // namespace dsbuild::bundle
