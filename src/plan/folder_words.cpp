#include "plan/folder_words.h"

#include <fmt/format.h>

#include <filesystem>

namespace dsbuild::plan {
namespace {

/// A folder that was found and must be named to a compiler.
struct Found {
  const manifest::FolderRule& rule;
  std::filesystem::path path;
};

std::vector<Found> found_folders(const manifest::Needs& needs, const manifest::Catalog& catalog,
                                 const probe::Machine& machine) {
  std::vector<Found> all;
  for (const std::string& name : needs.folders) {
    const auto folder = machine.folders.find(name);
    if (!catalog.tree || folder == machine.folders.end() || !folder->second.path) continue;
    if (!folder->second.path->empty())
      all.push_back({catalog.tree->folders.at(name), *folder->second.path});
  }
  return all;
}

std::string below(const std::filesystem::path& folder, const std::string& part) {
  std::string path = (folder / part).lexically_normal().string();
  if (path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

std::optional<Reason> find_unmet_folder(const std::string& who, const manifest::Needs& needs,
                                        const manifest::Catalog& catalog,
                                        const probe::Machine& machine) {
  for (const std::string& name : needs.folders) {
    if (!catalog.tree) return std::nullopt;  // the manifest's reader has told of it
    const manifest::FolderRule& rule = catalog.tree->folders.at(name);
    const auto folder = machine.folders.find(name);
    const std::string wanted = fmt::format("{} needs {}", who, name);
    if (folder == machine.folders.end() || !folder->second.path) {
      const std::string why =
          folder == machine.folders.end() ? "it was not looked for" : folder->second.path.reason;
      return Reason{ReasonCode::need_missing, wanted + ": " + why, rule.hint};
    }
    const Fact<Version>& version = folder->second.version;
    if (!rule.range || !version || rule.range->contains(*version)) continue;
    return Reason{ReasonCode::need_version,
                  fmt::format("{} {}; the one in {} is {} ({})", wanted, rule.range->text(),
                              *folder->second.path, version->number(), folder->second.path.source),
                  rule.hint};
  }
  return std::nullopt;
}

std::vector<std::string> folder_include_words(const manifest::Needs& needs,
                                              const manifest::Catalog& catalog,
                                              const probe::Machine& machine) {
  std::vector<std::string> words;
  for (const Found& found : found_folders(needs, catalog, machine)) {
    for (const std::string& part : found.rule.include) {
      // The compiler has it already, and its order must stay: libstdc++ counts on it.
      const std::string path = below(found.path, part);
      if (path == "/usr/include") continue;
      words.push_back("-isystem");
      words.push_back(path);
    }
  }
  return words;
}

std::vector<std::string> folder_libraries(const manifest::Needs& needs,
                                          const manifest::Catalog& catalog,
                                          const probe::Machine& machine) {
  std::vector<std::string> folders;
  for (const Found& found : found_folders(needs, catalog, machine)) {
    for (const std::string& part : found.rule.libraries) folders.push_back(below(found.path, part));
  }
  return folders;
}

}  // namespace dsbuild::plan
