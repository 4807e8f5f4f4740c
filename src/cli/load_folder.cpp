#include "cli/load_folder.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>

#include "base/files.h"
#include "base/json.h"
#include "bundle/file_facts.h"
#include "bundle/installed.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {
namespace {

fs::path failure_path(const fs::path& folder) {
  return folder / "failed.json";
}

fs::path words_path(const fs::path& folder) {
  return folder / "built_for.json";
}

}  // namespace

fs::path find_load_folder(const System& system, const std::string& flag) {
  if (!flag.empty()) return fs::absolute(flag).lexically_normal();
  if (const auto own = system.env("DSBUILD_CACHE")) return fs::absolute(*own).lexically_normal();
  // https://docs.pytorch.org/docs/stable/cpp_extension.html: TORCH_EXTENSIONS_DIR, else a folder of
  // the user's cache.
  if (const auto torch = system.env("TORCH_EXTENSIONS_DIR"))
    return fs::absolute(*torch).lexically_normal() / "dsbuild";
  constexpr const char* kUsual = "torch_extensions/dsbuild";
  if (const auto xdg = system.env("XDG_CACHE_HOME"); xdg && fs::path(*xdg).is_absolute())
    return fs::path(*xdg) / kUsual;
  const auto home = system.env("HOME");
  return home ? fs::path(*home) / ".cache" / kUsual : fs::path();
}

std::optional<Error> check_load_folder(const fs::path& folder) {
  try {
    bundle::check_writable(folder);
    write_folder(folder);
  } catch (const Error& error) {
    return error;
  }
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) != 0) {
    return Error(ExitCode::file_system, "it is mounted noexec: no library is loaded from there",
                 folder.string(), "name another folder with --cache or DSBUILD_CACHE");
  }
  return std::nullopt;
}

std::string failure_stamp(const fs::path& folder) {
  const auto stamp = bundle::read_stamp(failure_path(folder), false);
  return stamp ? fmt::format("{} {} {}", stamp->inode, stamp->mtime_ns, stamp->ctime_ns) : "";
}

std::optional<LoadFailure> read_load_failure(const fs::path& folder) {
  const Json json = Json::parse(read_file(failure_path(folder)).value_or(""), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    return LoadFailure{static_cast<ExitCode>(json.at("code").get<int>()), json.at("lines")};
  } catch (const Json::exception&) {
    return std::nullopt;  // another version wrote it
  }
}

void write_load_failure(const fs::path& folder, const LoadFailure& failure) {
  write_file(failure_path(folder),
             dump_json({{"code", static_cast<int>(failure.code)}, {"lines", failure.lines}}));
}

void write_load_success(const fs::path& folder, const std::map<std::string, std::string>& words) {
  write_file_if_changed(words_path(folder), dump_json(words));
  write_removal(failure_path(folder));
}

std::vector<LoadedOp> find_others(const fs::path& folder, const std::string& op) {
  std::vector<LoadedOp> others;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.parent_path(), error)) {
    const fs::path& path = entry.path();
    const bool same_op = path.filename().string().starts_with(op + "-");
    if (path == folder || !same_op || !fs::exists(path / "bundle/bundle.json", error)) continue;
    LoadedOp other{path, {}};
    const Json json = Json::parse(read_file(words_path(path)).value_or(""), nullptr, false);
    if (json.is_object()) {
      for (const auto& [name, word] : json.items()) {
        if (word.is_string()) other.words[name] = word.get<std::string>();
      }
    }
    others.push_back(std::move(other));
  }
  std::sort(others.begin(), others.end(),
            [](const LoadedOp& a, const LoadedOp& b) { return a.folder < b.folder; });
  return others;
}

}  // namespace dsbuild::cli
