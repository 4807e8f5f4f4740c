#include "probe/accelerators/accelerator_signs.h"

#include <array>
#include <filesystem>
#include <vector>

#include "base/pattern.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

using manifest::DetectRule;

std::optional<std::string> find_file(const Scene& scene, const DetectRule& rule) {
  for (const fs::path& path : find_paths(scene.system, rule.name)) {
    if (rule.regex.empty()) return "file " + path.string();
    const Pattern pattern(rule.regex);
    for (const std::string& line : split_lines(scene.system.read_file(path).value_or(""))) {
      if (const auto value = pattern.find(line))
        return "file " + path.string() + " (" + *value + ")";
    }
  }
  return std::nullopt;
}

/// Where the dynamic loader looks (https://man7.org/linux/man-pages/man8/ld.so.8.html): the
/// variable, the folders of its configuration, and its defaults, Debian's multiarch ones too.
std::vector<fs::path> loader_folders(const Scene& scene) {
  const System& system = scene.system;
  std::vector<fs::path> folders;
  for (const std::string& folder : split(system.env("LD_LIBRARY_PATH").value_or(""), ":;")) {
    folders.emplace_back(folder);
  }
  const fs::path configuration = "/etc/ld.so.conf.d";
  std::vector<fs::path> files{"/etc/ld.so.conf"};
  for (const std::string& name : system.list_folder(configuration)) {
    files.push_back(configuration / name);
  }
  for (const fs::path& file : files) {
    for (const std::string& line : split_lines(system.read_file(file).value_or(""))) {
      if (line.starts_with('/')) folders.emplace_back(line);
    }
  }
  for (const fs::path root : {"/lib", "/usr/lib"}) {
    if (!scene.triple.empty()) folders.push_back(root / scene.triple);
    folders.push_back(root);
    folders.emplace_back(root.string() + "64");
  }
  return folders;
}

std::optional<std::string> find_library(const Scene& scene, const DetectRule& rule) {
  std::vector<fs::path> folders(rule.folders.begin(), rule.folders.end());
  const std::vector<fs::path> usual = loader_folders(scene);
  folders.insert(folders.end(), usual.begin(), usual.end());
  for (const fs::path& folder : folders) {
    if (!folder.is_absolute() || !scene.system.exists(folder / rule.name)) continue;
    return "library " + (folder / rule.name).string();
  }
  return std::nullopt;
}

std::optional<std::string> find_tool(const Scene& scene, const DetectRule& rule) {
  const auto found = find_commands(scene.system, scene.pythons.path, rule.name);
  if (found.empty()) return std::nullopt;
  return "command " + found.front().string();
}

std::optional<std::string> find_python(const Scene& scene, const DetectRule& rule) {
  for (const PythonPackages& packages : scene.pythons.packages) {
    if (!scene.system.exists(packages.folder / rule.name)) continue;
    return "Python package " + (packages.folder / rule.name).string();
  }
  return std::nullopt;
}

/// One row for each kind of rule.
struct SignRow {
  DetectRule::Kind kind;
  std::string_view what;
  std::optional<std::string> (*find)(const Scene&, const DetectRule&);
};
constexpr std::array<SignRow, 4> kSigns{{
    {DetectRule::Kind::file, "file", find_file},
    {DetectRule::Kind::tool, "command", find_tool},
    {DetectRule::Kind::library, "library", find_library},
    {DetectRule::Kind::python, "Python package", find_python},
}};

const SignRow& row_of(const DetectRule& rule) {
  return kSigns[static_cast<std::size_t>(rule.kind)];
}

}  // namespace

std::optional<std::string> find_sign(const Scene& scene, const DetectRule& rule) {
  return row_of(rule).find(scene, rule);
}

std::string describe_sign(const DetectRule& rule) {
  return std::string(row_of(rule).what) + " " + rule.name;
}

}  // namespace dsbuild::probe
