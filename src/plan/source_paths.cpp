#include "plan/source_paths.h"

#include <algorithm>

#include "base/text.h"

namespace dsbuild::plan {

SourcePaths::SourcePaths(const manifest::Catalog& catalog) {
  for (const auto& root : catalog.roots) add(root);
  for (const auto& [name, op] : catalog.ops) {
    if (this->name(op.folder) == op.folder.native()) add(op.folder);
  }
  std::stable_sort(roots_.begin(), roots_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

void SourcePaths::add(const std::filesystem::path& folder) {
  const std::string name = roots_.empty() ? "src" : "root" + std::to_string(roots_.size());
  std::string text = folder.native();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  roots_.emplace_back(text, "{" + name + "}");
  paths_.emplace(name, std::move(text));
}

std::string SourcePaths::name(const std::filesystem::path& path) const {
  const std::string& text = path.native();
  for (const auto& [folder, placeholder] : roots_) {
    if (lies_in(text, folder)) return placeholder + text.substr(folder.size());
  }
  return text;
}

}  // namespace dsbuild::plan
