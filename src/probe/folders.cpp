#include "probe/folders.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "manifest/version_file.h"
#include "probe/machine.h"
#include "probe/scene.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

using manifest::FolderRule;

/// Somewhere that a folder may be, and what says so.
struct Place {
  fs::path path;
  std::string origin;
};

Fact<Version> find_folder_version(const System& system, const FolderRule& rule,
                                  const fs::path& folder) {
  if (rule.version.file.empty()) return Fact<Version>::missing("nothing says it");
  return manifest::find_version(system, folder, rule.version);
}

class FolderSearch {
 public:
  FolderSearch(const Scene& scene, const Machine& machine, const FolderRule& rule)
      : scene_(scene), machine_(machine), rule_(rule) {}

  Folder find() const {
    for (const std::string& variable : rule_.variables) {
      const std::string value(trim(scene_.system.env(variable).value_or("")));
      if (!value.empty()) return find_named(variable, value);
    }
    std::vector<Place> places = packages("");
    for (const std::string& place : rule_.places) places.push_back({place, place});
    return first_of(places, "no " + rule_.marker + " was found; " + asked());
  }

 private:
  Folder find_named(const std::string& variable, const std::string& value) const {
    const std::string said = variable + "=" + value;
    const auto word = rule_.words.find(value);
    if (word == rule_.words.end() || variable != rule_.variables.front())
      return first_of({{value, said}}, said + " holds no " + rule_.marker);
    if (word->second == "packages")
      return first_of(packages(said), said + ": no Python package beside torch holds it");
    return {Fact<std::string>::known("", said), Fact<Version>::missing(said)};
  }

  std::vector<Place> packages(const std::string& origin) const {
    std::vector<Place> places;
    if (machine_.torches.empty() || machine_.torches.front().site.empty()) return places;
    const Torch& torch = machine_.torches.front();
    for (const std::string& package : rule_.packages) {
      places.push_back({fs::path(torch.site) / package,
                        origin.empty() ? "Python packages of " + torch.prefix : origin});
    }
    return places;
  }

  Folder first_of(const std::vector<Place>& places, std::string otherwise) const {
    for (const Place& place : places) {
      if (!place.path.is_absolute() || !scene_.system.exists(place.path / rule_.marker)) continue;
      return {Fact<std::string>::known(place.path.lexically_normal().string(), place.origin),
              find_folder_version(scene_.system, rule_, place.path)};
    }
    return {Fact<std::string>::missing(otherwise), Fact<Version>::missing(otherwise)};
  }

  /// "CUTLASS_PATH is not set, and nothing is in /usr/local".
  std::string asked() const {
    std::vector<std::string> all;
    for (const std::string& variable : rule_.variables) all.push_back(variable + " is not set");
    if (!rule_.packages.empty()) all.push_back("no Python package beside torch has it");
    if (!rule_.places.empty()) all.push_back("it is not in " + join(rule_.places, ", "));
    return join(all, "; ");
  }

  const Scene& scene_;
  const Machine& machine_;
  const FolderRule& rule_;
};

}  // namespace

std::map<std::string, Folder> find_folders(const Scene& scene, const Machine& machine) {
  std::map<std::string, Folder> folders;
  if (!scene.catalog.tree) return folders;
  for (const auto& [name, rule] : scene.catalog.tree->folders)
    folders.emplace(name, FolderSearch(scene, machine, rule).find());
  return folders;
}

}  // namespace dsbuild::probe
