#include "manifest/tree.h"

#include "base/text.h"
#include "manifest/op_parts.h"
#include "manifest/version_file.h"
#include "manifest/words.h"

namespace fs = std::filesystem;

namespace dsbuild::manifest {
namespace {

VersionFile read_version_file(const Node& node) {
  return {node.at("file").text(), node.at("regex").texts()};
}

std::vector<NamedArchs> read_named_archs(const Node& list,
                                         const std::map<std::string, Accelerator>& accelerators) {
  std::vector<NamedArchs> rows;
  for (const Node& item : list.items()) {
    NamedArchs row;
    read_conditions(item.at("when"), row.when);
    for (const auto& [key, archs] : item.members()) {
      if (key == "when") continue;
      if (!accelerators.contains(key)) archs.complain(Rule::unknown_accelerator, {key, ""});
      row.archs.emplace(key, archs.texts());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::map<std::string, TreeVariable> read_variables(const Node& node) {
  std::map<std::string, TreeVariable> variables;
  for (const auto& [name, row] : node.members()) {
    check_shape(row, name, kVariable);
    TreeVariable variable;
    const std::string does = row.at("does").text();
    if (does == "all_ops") variable.does = TreeVariable::Does::all_ops;
    if (does == "flags") variable.does = TreeVariable::Does::flags;
    for (const auto& [tool, flags] : row.at("flags").members())
      variable.flags.emplace(tool, flags.texts());
    variable.meaning = row.at("meaning").text();
    variables.emplace(name, std::move(variable));
  }
  return variables;
}

FolderRule read_folder(const Node& node, const fs::path& root) {
  FolderRule rule;
  rule.variables = node.at("variables").texts();
  rule.packages = node.at("packages").texts();
  for (const std::string& place : node.at("places").texts())
    rule.places.push_back(replace_all(place, "{source}", root.string()));
  for (const auto& [word, meaning] : node.at("words").members())
    rule.words.emplace(word, meaning.text());
  rule.marker = node.at("marker").text();
  if (node.has("version")) rule.version = read_version_file(node.at("version"));
  std::map<std::string, VersionRange> ranges;
  if (node.has("range")) read_range(node.at("range"), "range", ranges);
  if (!ranges.empty()) rule.range = ranges.begin()->second;
  rule.include = node.at("include").texts();
  rule.libraries = node.at("libraries").texts();
  rule.hint = node.at("hint").text();
  return rule;
}

/// The layout's root at or above the folder: at most the parents that its marker names.
std::optional<fs::path> find_root(const System& system, const fs::path& folder,
                                  const std::string& marker) {
  fs::path at = folder;
  for (int up = 0; up < 3; ++up) {
    if (system.exists(at / marker)) return at;
    if (!at.has_relative_path()) break;
    at = at.parent_path();
  }
  return std::nullopt;
}

}  // namespace

fs::path SourceTree::find(const fs::path& path) const {
  const std::string text = path.lexically_normal().generic_string();
  for (const auto& [from, to] : moved) {
    if (lies_in(text, from)) return (root / (to + text.substr(from.size()))).lexically_normal();
  }
  return (root / text).lexically_normal();
}

std::string SourceTree::name_of(const fs::path& path) const {
  std::string text = path.lexically_relative(root).generic_string();
  for (const auto& [from, to] : moved) {
    if (lies_in(text, to)) return from + text.substr(to.size());
  }
  return text;
}

std::optional<SourceTree> find_tree(const System& system, const Node& root, const fs::path& folder,
                                    const std::map<std::string, Accelerator>& accelerators) {
  SourceTree tree;
  for (const Node& layout : root.at("layouts").items()) {
    const auto found = find_root(system, folder, layout.at("marker").text());
    if (!found) continue;
    tree.root = *found;
    tree.version = find_version(system, *found, read_version_file(layout.at("version"))).value;
    for (const auto& [from, to] : layout.at("moved").members()) tree.moved.emplace(from, to.text());
    break;
  }
  if (tree.root.empty()) return std::nullopt;
  tree.name = root.at("name").text();
  tree.summary = root.at("summary").text();
  tree.file = root.file();
  for (const auto& [name, range] : root.at("accelerators").members()) {
    if (!accelerators.contains(name)) range.complain(Rule::unknown_accelerator, {name, ""});
    read_range(range, name, tree.accelerators);
  }
  tree.variables = read_variables(root.at("variables"));
  for (const auto& [name, list] : root.at("archs").members())
    tree.archs.emplace(name, read_named_archs(list, accelerators));
  for (const auto& [name, node] : root.at("folders").members())
    tree.folders.emplace(name, read_folder(node, tree.root));
  tree.sources = root.at("sources").texts();
  for (const auto& [file, why] : root.at("unused").members()) tree.unused.emplace(file, why.text());
  return tree;
}

}  // namespace dsbuild::manifest
