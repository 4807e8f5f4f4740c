#include "probe/toolchains/toolkit_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "manifest/version_file.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

using manifest::ToolkitPart;
using manifest::ToolkitRule;
using manifest::VersionFile;

constexpr std::string_view kPython = "python";

/// The folders that "{python}" or "{VARIABLE}" stands for, and how they are called as an origin.
std::vector<ToolkitPlace> start_places(const Scene& scene, const std::string& word) {
  std::vector<ToolkitPlace> starts;
  if (word == kPython) {
    for (const PythonPackages& packages : scene.pythons.packages) {
      starts.push_back({packages.folder, "Python packages"});
    }
  } else if (const auto value = scene.system.env(word); value && value->starts_with('/')) {
    starts.push_back({*value, word});
  }
  return starts;
}

void add_matches(const System& system, const fs::path& pattern, const std::string& origin,
                 std::vector<ToolkitPlace>& places) {
  for (fs::path& path : find_newest_first(system, pattern)) {
    places.push_back({std::move(path), origin});
  }
}

std::optional<fs::path> find_part(const Scene& scene, const ToolkitPart& part,
                                  const fs::path& folder, fs::path& file) {
  for (const std::string& place : part.places) {
    if (place.find("{triple}") != std::string::npos && scene.triple.empty()) continue;
    const fs::path below = folder / replace_all(place, "{triple}", scene.triple);
    const auto found = find_paths(scene.system, below / part.file);
    if (found.empty()) continue;
    file = found.front();
    return below;
  }
  return std::nullopt;
}

}  // namespace

std::vector<fs::path> find_newest_first(const System& system, const fs::path& pattern) {
  auto found = find_paths(system, pattern);
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(b.string(), a.string());
  });
  return found;
}

std::vector<ToolkitPlace> find_toolkit_places(const Scene& scene, const ToolkitRule& rule) {
  std::vector<ToolkitPlace> places;
  for (const std::string& folder : rule.folders) {
    if (!folder.starts_with('{')) {
      add_matches(scene.system, folder, folder, places);
      continue;
    }
    const auto end = folder.find('}');
    const fs::path rest = fs::path(folder.substr(end + 1)).relative_path();
    for (const ToolkitPlace& start : start_places(scene, folder.substr(1, end - 1))) {
      add_matches(scene.system, rest.empty() ? start.folder : start.folder / rest, start.origin,
                  places);
    }
  }
  return places;
}

ToolkitFiles find_toolkit_files(const Scene& scene, const ToolkitRule& rule,
                                const fs::path& folder) {
  ToolkitFiles toolkit;
  toolkit.folder = folder;
  toolkit.values["toolkit"] = folder.string();
  for (const auto& [placeholder, part] : rule.parts) {
    fs::path file;
    if (const auto found = find_part(scene, part, folder, file)) {
      toolkit.values[placeholder] = found->string();
      toolkit.files.push_back(std::move(file));
      toolkit.sure = toolkit.sure || !part.common;
    } else if (part.optional) {
      toolkit.values[placeholder].clear();
    } else {
      toolkit.missing.push_back((fs::path(part.places.front()) / part.file).string());
    }
  }
  return toolkit;
}

std::vector<std::string> find_toolkit_archs(const System& system,
                                            const manifest::ToolkitArchs& rule,
                                            const ToolkitFiles& toolkit) {
  const auto folder = toolkit.values.find(rule.part);
  if (folder == toolkit.values.end()) return {};
  const std::size_t star = rule.file.find('*');
  const std::string before = rule.file.substr(0, star);
  const std::string after = rule.file.substr(star + 1);
  std::vector<std::string> archs;
  for (const std::string& name : system.list_folder(folder->second)) {
    if (name.size() <= before.size() + after.size() || !name.starts_with(before) ||
        !name.ends_with(after))
      continue;
    archs.push_back(rule.prefix +
                    name.substr(before.size(), name.size() - before.size() - after.size()));
  }
  return archs;
}

Fact<Version> find_toolkit_version(const System& system, const ToolkitRule& rule,
                                   const fs::path& folder) {
  std::vector<std::string> looked;
  for (const VersionFile& row : rule.versions) {
    if (auto version = manifest::find_version(system, folder, row)) return version;
    looked.push_back(row.file);
  }
  return Fact<Version>::missing(
      fmt::format("no version in {} of {}", join(looked, ", "), folder.string()));
}

ToolkitFiles find_toolkit_of(const Scene& scene, const ToolkitRule& rule, const fs::path& command,
                             const fs::path& real) {
  ToolkitFiles by_real = find_toolkit_files(scene, rule, real.parent_path().parent_path());
  ToolkitFiles by_name = find_toolkit_files(scene, rule, command.parent_path().parent_path());
  return by_name.missing.size() < by_real.missing.size() ? by_name : by_real;
}

}  // namespace dsbuild::probe
