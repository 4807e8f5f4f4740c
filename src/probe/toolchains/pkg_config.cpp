#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "base/text.h"
#include "probe/sources.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

constexpr int kMaxExpansions = 32;

/// Where pkg-config looks: PKG_CONFIG_PATH, then PKG_CONFIG_LIBDIR or, without it, the usual
/// folders (https://linux.die.net/man/1/pkg-config).
std::vector<fs::path> search_folders(const Scene& scene) {
  std::vector<fs::path> folders;
  const auto add = [&folders](const std::string& list) {
    for (const std::string& folder : split(list, ":")) {
      if (folder.starts_with('/')) folders.emplace_back(folder);
    }
  };
  add(scene.system.env("PKG_CONFIG_PATH").value_or(""));
  if (const auto replaced = scene.system.env("PKG_CONFIG_LIBDIR")) {
    add(*replaced);
    return folders;
  }
  for (const char* prefix : {"/usr/local", "/usr"}) {
    const fs::path top = prefix;
    if (!scene.triple.empty()) folders.push_back(top / "lib" / scene.triple / "pkgconfig");
    for (const char* lib : {"lib64", "lib", "share"}) folders.push_back(top / lib / "pkgconfig");
  }
  return folders;
}

/// The Version field of a .pc file, with ${name} replaced by the file's own variables.
std::optional<Version> parse_package_version(std::string_view text) {
  std::map<std::string, std::string> variables;
  std::optional<std::string> version;
  for (const std::string& line : split_lines(text)) {
    const auto mark = line.find_first_of("=:");
    if (mark == std::string::npos) continue;
    const std::string name(trim(std::string_view(line).substr(0, mark)));
    const std::string value(trim(std::string_view(line).substr(mark + 1)));
    if (line[mark] == '=') {
      variables[name] = value;
    } else if (name == "Version") {
      version = value;
    }
  }
  if (!version) return std::nullopt;
  for (int i = 0; i < kMaxExpansions; ++i) {
    const auto start = version->find("${");
    const auto end = version->find('}', start);
    if (start == std::string::npos || end == std::string::npos) break;
    version->replace(start, end - start + 1,
                     variables[version->substr(start + 2, end - start - 2)]);
  }
  return Version::parse(*version);
}

Fact<Version> find_package(const Scene& scene, const std::vector<fs::path>& folders,
                           const std::string& name) {
  for (const fs::path& folder : folders) {
    const fs::path file = folder / (name + ".pc");
    const auto text = scene.system.read_file(file);
    if (!text) continue;
    if (auto version = parse_package_version(*text)) {
      return Fact<Version>::known(*std::move(version), file.string());
    }
    return Fact<Version>::missing("no Version field that is a number", file.string());
  }
  std::vector<std::string> looked;
  for (const fs::path& folder : folders) looked.push_back(folder.string());
  return Fact<Version>::missing(fmt::format("no {}.pc in {}", name, join(looked, ", ")));
}

}  // namespace

std::map<std::string, Fact<Version>> find_packages(const Scene& scene) {
  std::set<std::string> names;
  const auto add = [&names](const manifest::Needs& needs) {
    for (const auto& [name, range] : needs.packages) names.insert(name);
  };
  for (const auto& [op_name, op] : scene.catalog.ops) {
    add(op.needs);
    for (const manifest::KernelSet& kernels : op.kernels) add(kernels.needs);
  }
  std::map<std::string, Fact<Version>> packages;
  if (names.empty()) return packages;
  const auto folders = search_folders(scene);
  for (const std::string& name : names) packages[name] = find_package(scene, folders, name);
  return packages;
}

}  // namespace dsbuild::probe
