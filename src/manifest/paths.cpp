#include "manifest/paths.h"

#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::manifest {
namespace {

std::string missing_hint(const OpFolder& folder, const fs::path& path) {
  const std::vector<std::string> names = folder.system.list_folder(path.parent_path());
  const std::string near = nearest(path.filename().string(), names);
  if (!near.empty()) return "did you mean '" + near + "'?";
  return names.empty() ? "the folder is not there or empty" : "there is: " + join(names, ", ");
}

}  // namespace

std::optional<fs::path> RealPaths::resolve(const fs::path& path) {
  const fs::path name = path.filename();
  if (name.empty() || name == "." || name == ".." || system_.is_link(path))
    return system_.resolve(path);
  const fs::path folder = path.parent_path();
  const auto [at, is_new] = folders_.try_emplace(folder.native());
  if (is_new) at->second = folder.has_relative_path() ? resolve(folder) : system_.resolve(folder);
  return at->second ? std::optional(*at->second / name) : std::nullopt;
}

fs::path OpFolder::find(const fs::path& relative) const {
  return tree != nullptr ? tree->find(relative) : (path / relative).lexically_normal();
}

std::optional<fs::path> read_path(const Node& node, const OpFolder& folder, FileStatus::Kind kind) {
  if (!node.is_text() || folder.path.empty()) return std::nullopt;
  const std::string text = node.text();
  const std::string where = folder.path.string();
  const fs::path relative(text);
  if (relative.is_absolute()) {
    node.complain(Rule::path_absolute, {text, where});
    return std::nullopt;
  }
  const fs::path path = folder.find(relative);
  for (const fs::path& part : relative) {
    if (part != "..") continue;
    node.complain(Rule::path_leaves, {text, where});
    return std::nullopt;
  }
  const std::string wanted = kind == FileStatus::Kind::folder ? "folder" : "file";
  const auto status = folder.system.status(path);
  if (!status) {
    node.complain(Rule::path_missing, {wanted, text, where, missing_hint(folder, path)});
    return std::nullopt;
  }
  if (status->kind != kind) {
    node.complain(Rule::path_is_no, {wanted, text, where});
    return std::nullopt;
  }
  const auto real = folder.real_paths.resolve(path);
  if (!real || !folder.real || !lies_in(real->native(), folder.real->native())) {
    node.complain(Rule::path_leaves_by_link, {text, where, real ? real->string() : "nothing"});
    return std::nullopt;
  }
  return path;
}

std::vector<fs::path> read_paths(const Node& list, const OpFolder& folder, FileStatus::Kind kind) {
  std::vector<fs::path> paths;
  for (const Node& item : list.items()) {
    if (auto path = read_path(item, folder, kind)) paths.push_back(std::move(*path));
  }
  return paths;
}

}  // namespace dsbuild::manifest
