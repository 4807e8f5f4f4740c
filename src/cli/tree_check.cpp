#include "cli/tree_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <vector>

#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {
namespace {

using manifest::SourceTree;

/// Sources that no descriptor's compiler takes, and that are sources all the same.
constexpr std::array<std::string_view, 5> kOtherSuffixes{".cxx", ".hip", ".metal", ".mm", ".cl"};

std::set<std::string> source_suffixes(const manifest::Catalog& catalog) {
  std::set<std::string> suffixes(kOtherSuffixes.begin(), kOtherSuffixes.end());
  for (const auto& [name, accelerator] : catalog.accelerators)
    suffixes.insert(accelerator.suffixes.begin(), accelerator.suffixes.end());
  return suffixes;
}

/// '*' is any part of one name, "**" any path.
bool matches(std::string_view pattern, std::string_view path) {
  if (pattern.empty()) return path.empty();
  if (pattern.front() != '*') {
    return !path.empty() && pattern.front() == path.front() &&
           matches(pattern.substr(1), path.substr(1));
  }
  const bool deep = pattern.starts_with("**");
  const std::string_view rest = pattern.substr(deep ? 2 : 1);
  for (std::size_t taken = 0;; ++taken) {
    if (matches(rest, path.substr(taken))) return true;
    if (taken == path.size() || (!deep && path[taken] == '/')) return false;
  }
}

/// Collects the files below a folder, as a checkout calls them.
class TreeFiles {
 public:
  TreeFiles(const System& system, const SourceTree& tree, const std::set<std::string>& suffixes)
      : system_(system), tree_(tree), suffixes_(suffixes) {}

  std::set<std::string> find(const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns) {
      pattern_ = pattern;
      const std::string fixed = pattern.substr(0, pattern.find('*'));
      walk(fixed.substr(0, fixed.rfind('/')));
    }
    return std::move(found_);
  }

 private:
  void walk(const std::string& folder) {
    for (const std::string& name : system_.list_folder(tree_.find(folder))) {
      const std::string path = folder + "/" + name;
      const auto status = system_.status(tree_.find(path));
      if (status && status->is_folder()) {
        walk(path);
      } else if (suffixes_.contains(fs::path(name).extension().string()) &&
                 matches(pattern_, path)) {
        found_.insert(path);
      }
    }
  }

  const System& system_;
  const SourceTree& tree_;
  const std::set<std::string>& suffixes_;
  std::string pattern_;
  std::set<std::string> found_;
};

/// Sources of all ops, as a checkout calls them.
std::set<std::string> used_sources(const manifest::Catalog& catalog) {
  std::set<std::string> used;
  const auto add = [&](const fs::path& source) { used.insert(catalog.tree->name_of(source)); };
  for (const auto& [name, op] : catalog.ops) {
    for (const manifest::ExtensionPart& part : op.parts) {
      for (const fs::path& source : part.binding) add(source);
      for (const fs::path& source : part.sources) add(source);
    }
  }
  return used;
}

}  // namespace

std::string check_tree(const System& system, const manifest::Catalog& catalog,
                       Diagnostics& diagnostics) {
  const SourceTree& tree = *catalog.tree;
  const std::set<std::string> suffixes = source_suffixes(catalog);
  const std::set<std::string> there = TreeFiles(system, tree, suffixes).find(tree.sources);
  const std::set<std::string> used = used_sources(catalog);
  std::size_t unused = 0;
  for (const std::string& path : there) {
    if (used.contains(path)) continue;
    if (tree.unused.contains(path)) {
      ++unused;
      continue;
    }
    diagnostics.error(tree.file.string(), "/sources", "no op uses " + path,
                      "list it in an op's manifest, or in \"unused\" with the reason");
  }
  for (const auto& [path, why] : tree.unused) {
    if (used.contains(path))
      diagnostics.warning(tree.file.string(), "/unused/" + replace_all(path, "/", "~1"),
                          path + " is used", "remove it from the list");
  }
  return fmt::format("{} {} at {}: {}, {} of them unused for a reason", tree.name,
                     tree.version ? tree.version->number() : "of unknown version",
                     tree.root.string(), count_of(there.size(), "source"), unused);
}

}  // namespace dsbuild::cli
