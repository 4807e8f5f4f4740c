#include "manifest/op_parts.h"
#include "manifest/words.h"

namespace dsbuild::manifest {
namespace {

std::optional<VersionRange> range_of(const std::map<std::string, VersionRange>& ranges,
                                     const std::string& key) {
  const auto found = ranges.find(key);
  return found == ranges.end() ? std::nullopt : std::optional(found->second);
}

/// A part of other versions of the source tree than this one: its files need not be there.
bool is_of_other_tree(const std::map<std::string, VersionRange>& ranges, const SourceTree* tree) {
  const auto range = ranges.find("source");
  return range != ranges.end() && tree != nullptr && tree->version &&
         !range->second.contains(*tree->version);
}

/// Accelerators that this version of the source tree doesn't know are no business of the part.
void drop_unknown(const SourceTree* tree, std::map<std::string, ArchFilter>& on) {
  if (tree == nullptr || !tree->version) return;
  for (const auto& [name, range] : tree->accelerators) {
    if (!range.contains(*tree->version)) on.erase(name);
  }
}

ExtensionPart read_part(const Node& node, const OpContext& context) {
  ExtensionPart part;
  part.on = read_on(node.at("on"), context.accelerators);
  drop_unknown(context.tree, part.on);
  const FileStatus::Kind file = FileStatus::Kind::file;
  part.binding = read_paths(node.at("binding"), context.folder, file);
  part.sources = read_paths(node.at("sources"), context.folder, file);
  part.unity = node.at("unity").flag();
  part.python = node.at("python").text();
  part.options = read_options(node, context);
  part.libraries = read_words(node.at("libraries"), kLibrary);
  part.needs = read_needs(node.at("needs"), context);
  return part;
}

}  // namespace

std::map<std::string, VersionRange> read_conditions(const Node& node, Conditions& conditions) {
  std::map<std::string, VersionRange> ranges;
  for (const auto& [key, range] : node.members()) read_range(range, key, ranges);
  conditions.torch = range_of(ranges, "torch");
  conditions.python = range_of(ranges, "python");
  conditions.toolkit = range_of(ranges, "toolkit");
  return ranges;
}

void read_extension(const Node& root, const OpContext& context, Op& op) {
  op.module = root.at("module").text();
  check_shape(root.at("module"), kModule);
  op.variable = root.at("variable").text();
  check_shape(root.at("variable"), kVariable);
  op.after = read_words(root.at("after"), kWord);
  op.stable_abi = root.at("torch_abi").text() == "stable";
  for (const auto& [macro, on] : root.at("features").members()) {
    check_shape(on, macro, kMacro);
    op.features.emplace(macro, read_on(on, context.accelerators));
  }
  for (const Node& node : root.at("parts").items()) {
    Conditions when;
    if (is_of_other_tree(read_conditions(node.at("when"), when), context.tree)) continue;
    ExtensionPart part = read_part(node, context);
    part.when = std::move(when);
    if (!part.on.empty()) op.parts.push_back(std::move(part));
  }
}

}  // namespace dsbuild::manifest
