#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "manifest/arch_name.h"
#include "manifest/op_parts.h"

namespace dsbuild::manifest {
namespace {

using Accelerators = std::map<std::string, Accelerator>;

// ---- kinds -------------------------------------------------------------------------------------

constexpr std::array kExtensionKeys{"after", "features",  "module",
                                    "parts", "torch_abi", "variable"};

void refuse_keys(const Node& node, const std::string& kind,
                 std::initializer_list<const char*> keys) {
  for (const std::string key : keys) {
    if (node.has(key)) node.at(key).complain(Rule::key_of_other_kind, {kind, key});
  }
}

void require_keys(const Node& root, const std::string& kind,
                  std::initializer_list<const char*> keys) {
  for (const std::string key : keys) {
    if (!root.has(key)) root.complain(Rule::kind_needs, {kind, key});
  }
}

void check_library(const Node& root, const std::string& kind) {
  require_keys(root, kind, {"host", "kernels"});
  refuse_keys(root, kind, {"exports"});
}

void check_shared_library(const Node& root, const std::string& kind) {
  if (!root.has("host") && !root.has("kernels")) root.complain(Rule::no_sources, {});
  for (const Node& set : root.at("kernels").items())
    refuse_keys(set, kind, {"exports", "freestanding", "instances", "name"});
}

/// Needs that only a torch or a source tree has.
void refuse_extension_keys(const Node& root, const std::string& kind) {
  for (const char* key : kExtensionKeys) refuse_keys(root, kind, {key});
  std::vector<Node> needs{root.at("needs")};
  for (const Node& set : root.at("kernels").items()) needs.push_back(set.at("needs"));
  for (const Node& one : needs)
    refuse_keys(one, kind, {"folders", "python", "python_packages", "torch"});
}

void check_python_extension(const Node& root, const std::string& kind) {
  require_keys(root, kind, {"module", "parts"});
  refuse_keys(root, kind, {"host", "kernels"});
}

/// Each kind's own keys. The schema has told of a kind that doesn't exist.
void check_kind(const Node& root) {
  const std::string kind = root.at("kind").text();
  if (kind == kind_name(OpKind::library)) check_library(root, kind);
  if (kind == kind_name(OpKind::shared_library)) check_shared_library(root, kind);
  if (kind == kind_name(OpKind::python_extension)) {
    check_python_extension(root, kind);
  } else {
    refuse_extension_keys(root, kind);
  }
}

// ---- sources -----------------------------------------------------------------------------------

void check_suffixes(const Node& sources, const Accelerator& accelerator) {
  for (const Node& source : sources.items()) {
    if (source.is_text() && !takes_source(accelerator, source.text())) {
      source.complain(Rule::source_suffix,
                      {accelerator.name, source.text(), join(accelerator.suffixes, " or ")});
    }
  }
}

/// The object files of one library or image lie in one folder, named after their sources.
class ObjectNames {
 public:
  void add(const Node& sources) {
    for (const Node& source : sources.items()) {
      if (!source.is_text()) continue;
      const std::string stem = std::filesystem::path(source.text()).stem().string();
      const auto [other, is_new] = first_.emplace(stem, source.text());
      if (!is_new && told_.insert(source.pointer()).second) {
        source.complain(Rule::same_object, {other->second, source.text(), stem});
      }
    }
  }
  void forget() { first_.clear(); }

 private:
  std::map<std::string, std::string> first_;
  std::set<std::string> told_;
};

void check_object_names(const Node& root, const Op& op, const Accelerators& accelerators) {
  ObjectNames objects;
  const std::vector<Node> sets = root.at("kernels").items();
  if (op.kind == OpKind::library) {
    objects.add(root.at("host").at("sources"));
    for (const Node& set : sets) {
      objects.forget();
      objects.add(set.at("sources"));
    }
    return;
  }
  for (const auto& [name, accelerator] : accelerators) {
    objects.forget();
    objects.add(root.at("host").at("sources"));
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (op.kernels[i].on.contains(name)) objects.add(sets[i].at("sources"));
    }
  }
}

/// Whether some recipe makes an image with a step for each source and none that joins them.
bool joins_no_sources(const Accelerator& accelerator) {
  return std::any_of(accelerator.toolchains.begin(), accelerator.toolchains.end(),
                     [&](const ToolchainRecipe& recipe) {
                       const auto steps = recipe.images.find(accelerator.image_form);
                       return steps != recipe.images.end() && !steps->second.empty() &&
                              steps->second.back().each_source;
                     });
}

void check_sources(const Node& root, const Op& op, const Accelerators& accelerators) {
  for (const auto& [name, accelerator] : accelerators) {
    if (accelerator.host) check_suffixes(root.at("host").at("sources"), accelerator);
  }
  const std::vector<Node> sets = root.at("kernels").items();
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const Node sources = sets[i].at("sources");
    const std::size_t count = sources.items().size();
    for (const auto& [name, filter] : op.kernels[i].on) {
      const Accelerator& accelerator = accelerators.at(name);
      check_suffixes(sources, accelerator);
      if (op.kind == OpKind::library && count > 1 && joins_no_sources(accelerator)) {
        sources.complain(Rule::one_source_per_image, {name, std::to_string(count)});
      }
    }
  }
}

// ---- images ------------------------------------------------------------------------------------

/// Whether two sets have an instance of the same name: the same macros, with a value in common
/// each.
bool share_instance(const KernelSet& a, const KernelSet& b) {
  if (a.instances.size() != b.instances.size()) return false;
  return std::all_of(a.instances.begin(), a.instances.end(), [&](const auto& macro) {
    const auto other = b.instances.find(macro.first);
    return other != b.instances.end() &&
           std::any_of(macro.second.begin(), macro.second.end(), [&](const std::string& value) {
             return std::find(other->second.begin(), other->second.end(), value) !=
                    other->second.end();
           });
  });
}

void check_images(const Node& root, const Op& op, const Accelerators& accelerators) {
  const std::vector<Node> sets = root.at("kernels").items();
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const KernelSet& set = op.kernels[i];
    for (const auto& [macro, values] : set.instances) {
      for (const CompileOptions* options : {&op.options, &set.options}) {
        if (!options->defines.contains(macro)) continue;
        sets[i].at("instances").at(macro).complain(Rule::macro_twice, {macro});
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      const KernelSet& other = op.kernels[j];
      if (set.name != other.name || !share_instance(set, other)) continue;
      for (const auto& [name, filter] : set.on) {
        const auto same = other.on.find(name);
        if (same != other.on.end() &&
            filters_overlap(accelerators.at(name), filter, same->second)) {
          sets[i].complain(Rule::same_image, {std::to_string(j), name});
        }
      }
    }
  }
}

}  // namespace

void check_op(const Node& root, const Op& op, const Accelerators& accelerators) {
  check_kind(root);
  if (op.kind == OpKind::python_extension) return check_extension(root, op, accelerators);
  check_sources(root, op, accelerators);
  check_object_names(root, op, accelerators);
  if (op.kind == OpKind::library) check_images(root, op, accelerators);
}

}  // namespace dsbuild::manifest
