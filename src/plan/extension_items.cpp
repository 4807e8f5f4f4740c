#include "plan/extension_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "plan/folder_words.h"
#include "plan/item_maker.h"
#include "plan/needs.h"
#include "plan/torch_match.h"

namespace dsbuild::plan {
namespace {

using manifest::Accelerator;
using manifest::ArchName;
using manifest::ExtensionPart;
using manifest::Op;

/// Of the longest that it ends with: "a.dp.cpp" is no plain ".cpp".
std::size_t suffix_length(const std::string& name, const std::vector<std::string>& suffixes) {
  std::size_t length = 0;
  for (const std::string& suffix : suffixes) {
    if (name.ends_with(suffix)) length = std::max(length, suffix.size());
  }
  return length;
}

bool holds(const std::optional<VersionRange>& range, const Fact<Version>& version) {
  return !range || (version && range->contains(*version));
}

std::string module_path(const Op& op) {
  return replace_all(op.module, ".", "/");
}

class ExtensionItems : ItemMaker {
 public:
  using ItemMaker::ItemMaker;

  void make() {
    std::set<std::string> own;
    for (const ExtensionPart& part : op_.parts) {
      for (const auto& [name, filter] : part.on) own.insert(name);
    }
    no_torch_ = find_torch();
    for (const auto& [name, accelerator] : draft_.catalog.accelerators) {
      if (is_beside_the_point(accelerator, own)) continue;
      if (!own.contains(name)) {
        if (draft_.scope.names(accelerator)) {
          skip_whole(accelerator,
                     own.empty() ? absent() : no_kernel(accelerator, {own.begin(), own.end()}));
        }
      } else if (!draft_.scope.asks_for(accelerator)) {
        skip_whole(accelerator, not_requested(name));
      } else {
        make_for(accelerator);
      }
    }
  }

 private:
  /// No part of it is for this version of the tree.
  Reason absent() const {
    const auto& tree = draft_.catalog.tree;
    const std::string where =
        tree ? tree->name + " " + (tree->version ? tree->version->number() : "")
             : op_.file.string();
    return {ReasonCode::no_kernel, op_.name + " is not in " + where, "leave it out"};
  }

  /// The torch that was chosen; a reason where there is none.
  std::optional<Reason> find_torch() {
    auto problem = find_torch_problem(draft_.machine);
    if (!problem) {
      torch_ = &draft_.machine.torches.front();
      return std::nullopt;
    }
    problem->text = op_.name + " needs a torch to be built for: " + problem->text;
    return problem;
  }

  /// A torch is built for some accelerators; for others there are plug-ins beside it, which say
  /// nothing about how extensions are compiled.
  std::optional<Reason> find_unserved(const Accelerator& accelerator) const {
    if (accelerator.host || torch_->libraries.contains(accelerator.name)) return std::nullopt;
    const bool of_torch = std::any_of(
        accelerator.toolchains.begin(), accelerator.toolchains.end(),
        [](const manifest::ToolchainRecipe& recipe) { return recipe.extension.has_value(); });
    if (!of_torch && draft_.scope.names(accelerator)) return std::nullopt;
    return Reason{
        ReasonCode::torch_unsuited,
        fmt::format("{} at {} was not built for {}", torch_->id, torch_->path, accelerator.name),
        of_torch ? "take a torch that was: --torch DIR or --python PATH"
                 : "name it if its plug-in is used: --accelerators " + accelerator.name};
  }

  /// Asked for, and served by this torch.
  bool is_served(const Accelerator& accelerator) const {
    return draft_.scope.asks_for(accelerator) && !find_unserved(accelerator);
  }

  /// Nobody named the accelerator, it isn't served, and another one of the op's is: of the eleven
  /// that DeepSpeed's ops have, only those are worth a word.
  bool is_beside_the_point(const Accelerator& accelerator, const std::set<std::string>& own) const {
    if (no_torch_ || !own.contains(accelerator.name) || draft_.scope.names(accelerator) ||
        is_served(accelerator))
      return false;
    return std::any_of(own.begin(), own.end(), [&](const std::string& name) {
      return is_served(draft_.catalog.accelerators.at(name));
    });
  }

  std::vector<const ExtensionPart*> parts_for(const Accelerator& accelerator,
                                              const probe::Toolchain* toolchain) const {
    std::vector<const ExtensionPart*> parts;
    for (const ExtensionPart& part : op_.parts) {
      const bool counts = part.on.contains(accelerator.name) &&
                          holds(part.when.torch, torch_->version) &&
                          holds(part.when.python, torch_->python) &&
                          (!part.when.toolkit ||
                           (toolchain != nullptr && holds(part.when.toolkit, toolchain->version)));
      if (counts) parts.push_back(&part);
    }
    return parts;
  }

  static bool is_native(const std::vector<const ExtensionPart*>& parts) {
    return std::any_of(parts.begin(), parts.end(), [](const ExtensionPart* part) {
      return !part->binding.empty() || !part->sources.empty();
    });
  }

  std::optional<Reason> find_unmet(const manifest::Needs& needs) const {
    if (auto unmet = find_unmet_need(op_.name, needs, draft_.machine, torch_)) return unmet;
    return find_unmet_folder(op_.name, needs, draft_.catalog, draft_.machine);
  }

  std::optional<Reason> find_unmet(const std::vector<const ExtensionPart*>& parts) const {
    if (auto unmet = find_unmet(op_.needs)) return unmet;
    for (const ExtensionPart* part : parts) {
      if (auto unmet = find_unmet(part->needs)) return unmet;
    }
    return std::nullopt;
  }

  bool has_device_source(const Item& item, const ExtensionPart& part) const {
    // Its compiler takes all sources, and any of them may hold device code.
    if (item.uses_device() && item.choice.recipe->extension->host_sources)
      return is_native({&part});
    const auto is_device = [&](const std::filesystem::path& source) {
      return is_device_source(item, draft_.catalog.host(), source);
    };
    return std::any_of(part.sources.begin(), part.sources.end(), is_device) ||
           std::any_of(part.binding.begin(), part.binding.end(), is_device);
  }

  /// Host sources alone need no toolchain of the accelerator, unless the op says so.
  bool needs_device(const Item& item, const std::vector<const ExtensionPart*>& parts) const {
    const Accelerator& accelerator = *item.accelerator;
    if (accelerator.host) return false;
    const auto asks = [&](const manifest::Needs& needs) {
      return needs.toolchains.contains(accelerator.name);
    };
    return asks(op_.needs) || std::any_of(parts.begin(), parts.end(), [&](const auto* part) {
             return asks(part->needs) || has_device_source(item, *part);
           });
  }

  void make_for(const Accelerator& accelerator) {
    if (no_torch_) return skip_whole(accelerator, *no_torch_);
    std::vector<const ExtensionPart*> parts = parts_for(accelerator, nullptr);
    if (!parts.empty() && !is_native(parts)) {
      return skip_whole(
          accelerator,
          {ReasonCode::nothing_native,
           fmt::format("{} on {} is {}", op_.name, accelerator.name, parts.front()->python), ""});
    }
    if (auto reason = find_unserved(accelerator))
      return skip_whole(accelerator, std::move(*reason), torch_->demanded);
    Item item = new_item(accelerator, kExtensionForm);
    item.torch = torch_;
    const Accelerator& host = draft_.catalog.host();
    item.host_choice = draft_.chooser.choose({&host, kExtensionForm});
    item.choice = item.host_choice;
    if (plan(item) && needs_device(item, parts)) {
      const bool any_release = read_skip_check(draft_.request.environment).skipped;
      item.choice = draft_.chooser.choose({&accelerator,
                                           kExtensionForm,
                                           "",
                                           false,
                                           {toolchain_need(op_.needs, accelerator), nullptr},
                                           torch_,
                                           any_release});
      if (plan(item)) parts = parts_for(accelerator, item.choice.toolchain);
    }
    if (item.planned()) {
      if (auto unmet = find_unmet(parts)) item.skip(std::move(*unmet));
    }
    if (item.planned()) find_macros(item, parts);
    for (const ExtensionPart* part : parts) {
      if (item.planned()) add_part(item, *part);
    }
    make_levels(std::move(item));
  }

  /// Those of the recipe that the sources name, without values as yet; and what translating needs.
  void find_macros(Item& item, const std::vector<const ExtensionPart*>& parts) const {
    if (!item.uses_device()) return;
    const manifest::ExtensionRecipe& recipe = *item.choice.recipe->extension;
    if (recipe.translation && !torch_->interpreter) {
      return item.skip({ReasonCode::torch_unsuited,
                        fmt::format("sources are translated with the Python of {}: {}",
                                    describe(*torch_), torch_->interpreter.reason),
                        "name the Python that it belongs to: --python PATH"});
    }
    for (const auto& [macro, values] : recipe.macros) {
      const bool named =
          std::any_of(parts.begin(), parts.end(),
                      [&, &name = macro](const auto* part) { return part->macros.contains(name); });
      if (named) item.macros.emplace(macro, "");
    }
  }

  /// The first arch gives macros their values; one that has others can't be in the same module.
  std::optional<Reason> settle_macros(Item& item, const ArchName& arch) const {
    for (auto& [macro, value] : item.macros) {
      const std::string own = value_for(item.choice.recipe->extension->macros.at(macro), arch);
      if (value.empty()) value = own;
      if (!own.empty() && own == value) continue;
      return Reason{ReasonCode::arch_filter_empty,
                    own.empty() ? fmt::format("{} names {}, whose value for {} is not known",
                                              op_.name, macro, arch.name)
                                : fmt::format("{} is built for {}={}, which is {} for {}", op_.name,
                                              macro, value, own, arch.name),
                    fmt::format("build it alone: --arch {}:{}", item.accelerator->name, arch.name)};
    }
    return std::nullopt;
  }

  static std::string value_for(const std::map<std::string, std::vector<std::string>>& values,
                               const ArchName& arch) {
    for (const auto& [value, beginnings] : values) {
      for (const std::string& beginning : beginnings) {
        if (arch.name.starts_with(beginning)) return value;
      }
    }
    return {};
  }

  /// A part of device sources that takes none of the archs ends the op: its module would lack
  /// symbols.
  void add_part(Item& item, const ExtensionPart& part) {
    PartBuild build{&part, {}};
    const Accelerator& accelerator = *item.accelerator;
    if (!has_device_source(item, part)) return item.parts.push_back(std::move(build));
    const Targets& targets = targets_of(accelerator);
    if (targets.out) return item.skip(*targets.out);
    const manifest::ArchFilter& filter = part.on.at(accelerator.name);
    for (const Target& target : targets.list) {
      const auto arch = target.reason ? std::nullopt : arch_of(filter, accelerator, target);
      if (!arch) {
        if (target.reason || target.named) skip_target(accelerator, target, describe({&filter}));
      } else if (!offers(*item.choice.toolchain, arch->name)) {
        skip_fat_arch(item, target, *arch);
      } else if (auto clash = settle_macros(item, *arch)) {
        Target apart = target;
        apart.reason = std::move(clash);
        skip_target(accelerator, apart, "");
      } else {
        build.archs.push_back({target.form, *arch});
        list_arch(target, *arch, item);
      }
    }
    if (build.archs.empty()) {
      return item.skip({ReasonCode::arch_filter_empty,
                        fmt::format("{} has sources for {} {}, and none of these archs is built",
                                    op_.name, accelerator.name, describe({&filter})),
                        ""});
    }
    item.parts.push_back(std::move(build));
  }

  /// One module for each level that was asked for; the usual one when none was.
  std::vector<Target> find_levels() {
    const Accelerator& host = draft_.catalog.host();
    std::vector<Target> levels;
    if (draft_.scope.wishes_of(host.name) != nullptr) {
      for (const Target& target : targets_of(host).list) {
        if (!target.reason) levels.push_back(target);
      }
    }
    if (!levels.empty()) return levels;
    const auto usual = host.archs.extension.find(draft_.scope.machine);
    const std::string name = usual == host.archs.extension.end() ? draft_.baseline : usual->second;
    if (const auto arch = manifest::parse_arch_name(host, name, draft_.scope.machine))
      levels.push_back({*arch, host.image_form, false, std::nullopt});
    return levels;
  }

  void make_levels(Item item) {
    if (!item.planned()) {
      draft_.items.push_back(std::move(item));
      return;
    }
    const std::vector<Target> levels = find_levels();
    for (const Target& level : levels) {
      Item one = item;
      one.level = level.arch;
      one.arch_named = level.named;
      if (levels.size() > 1) one.entry.variant = level.arch.name;
      one.entry.artifact =
          fmt::format("extensions/{}/{}{}{}{}", item.accelerator->name, module_path(op_),
                      levels.size() > 1 ? "." : "", one.entry.variant, *torch_->extension_suffix);
      draft_.items.push_back(std::move(one));
    }
  }

  const probe::Torch* torch_ = nullptr;
  std::optional<Reason> no_torch_;
};

}  // namespace

bool is_device_source(const Item& item, const Accelerator& host,
                      const std::filesystem::path& source) {
  const std::string& name = source.native();
  return !item.accelerator->host &&
         suffix_length(name, item.accelerator->suffixes) > suffix_length(name, host.suffixes);
}

void make_extension_items(Draft& draft, const Op& op) {
  ExtensionItems(draft, op).make();
}

}  // namespace dsbuild::plan
