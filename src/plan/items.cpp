#include "plan/items.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "plan/extension_items.h"
#include "plan/item_maker.h"
#include "plan/needs.h"

namespace dsbuild::plan {
namespace {

using manifest::Accelerator;
using manifest::ArchName;
using manifest::KernelSet;
using manifest::Op;
using manifest::OpKind;

bool is_on(const KernelSet& set, const Accelerator& accelerator) {
  return set.on.contains(accelerator.name);
}

/// Accelerators of the op, by name. One without kernels is its host library alone.
std::vector<std::string> accelerators_of(const Op& op, const manifest::Catalog& catalog) {
  std::set<std::string> names;
  for (const KernelSet& set : op.kernels) {
    for (const auto& [name, filter] : set.on) names.insert(name);
  }
  if (names.empty()) names.insert(catalog.host().name);
  return {names.begin(), names.end()};
}

/// Every combination of the values: {"HEAD_DIM": "64"}, …; one empty one without macros.
std::vector<std::map<std::string, std::string>> combine(
    const std::map<std::string, std::vector<std::string>>& instances) {
  std::vector<std::map<std::string, std::string>> all(1);
  for (const auto& [macro, values] : instances) {
    std::vector<std::map<std::string, std::string>> more;
    for (const auto& one : all) {
      for (const std::string& value : values) {
        more.push_back(one);
        more.back()[macro] = value;
      }
    }
    all = std::move(more);
  }
  return all;
}

/// "wide.HEAD_DIM-64": the set's name and the instance.
std::string variant_of(const KernelSet& set, const std::map<std::string, std::string>& instance) {
  std::string variant = set.name;
  for (const auto& [macro, value] : instance) {
    variant += (variant.empty() ? "" : ".") + macro + "-" + value;
  }
  return variant;
}

std::string image_path(const Entry& entry) {
  return fmt::format("images/{}/{}/{}{}{}.{}", entry.op, entry.accelerator,
                     replace_all(entry.arch, ":", "."), entry.variant.empty() ? "" : ".",
                     entry.variant, entry.form);
}

/// What the kernel sets take of an accelerator: ">=sm_80 or sm_90a".
std::string filters_text(const Op& op, const Accelerator& accelerator) {
  std::vector<const manifest::ArchFilter*> filters;
  for (const KernelSet& set : op.kernels) {
    const auto filter = set.on.find(accelerator.name);
    if (filter != set.on.end()) filters.push_back(&filter->second);
  }
  return describe(filters);
}

/// Makes the items of one op that is no python_extension.
class OpItems : ItemMaker {
 public:
  using ItemMaker::ItemMaker;

  void make() {
    const std::vector<std::string> own = accelerators_of(op_, draft_.catalog);
    const auto unmet = find_unmet_need(op_.name, op_.needs, draft_.machine);
    for (const auto& [name, accelerator] : draft_.catalog.accelerators) {
      const bool has_kernel = std::find(own.begin(), own.end(), name) != own.end();
      const bool wanted = draft_.scope.asks_for(accelerator);
      if (!has_kernel) {
        if (draft_.scope.names(accelerator)) skip_whole(accelerator, no_kernel(accelerator, own));
      } else if (!wanted) {
        skip_whole(accelerator, not_requested(name));
      } else if (!accelerator.unbuilt.empty()) {
        skip_whole(accelerator, {ReasonCode::toolchain_absent,
                                 "nothing is compiled for " + name + ": " + accelerator.unbuilt,
                                 "leave " + name + " out"});
      } else if (unmet) {
        skip_whole(accelerator, *unmet);
      } else {
        make_for(accelerator);
      }
    }
    if (op_.kind == OpKind::library) draft_.items.push_back(host_library(op_.name));
  }

  /// The runtime, or the library that carries an op's host code.
  Item host_library(const std::string& file_name) {
    const Accelerator& host = draft_.catalog.host();
    Item item = new_item(host, kLibraryForm);
    item.host_choice = draft_.chooser.choose(
        {&host, kObjectForm, "", false, {toolchain_need(op_.needs, host), nullptr}});
    item.choice = item.host_choice;
    if (!plan(item)) return item;
    item.entry.artifact = fmt::format("lib/{}/{}.so", draft_.triple, file_name);
    return item;
  }

 private:
  void make_for(const Accelerator& accelerator) {
    if (op_.kind == OpKind::shared_library) return make_shared_library(accelerator);
    const Targets& targets = targets_of(accelerator);
    if (targets.out) return skip_whole(accelerator, *targets.out, targets.demanded);
    std::vector<const KernelSet*> sets;
    for (const KernelSet& set : op_.kernels) {
      if (!is_on(set, accelerator)) continue;
      if (auto unmet = find_unmet_need(op_.name, set.needs, draft_.machine)) {
        Item item = new_item(accelerator, accelerator.image_form);
        item.entry.variant = set.name;
        item.skip(std::move(*unmet));
        draft_.items.push_back(std::move(item));
      } else {
        sets.push_back(&set);
      }
    }
    std::set<std::string> made;
    if (!sets.empty()) {
      for (const Target& target : targets.list) make_images(accelerator, target, sets, made);
    }
  }

  void make_images(const Accelerator& accelerator, const Target& target,
                   const std::vector<const KernelSet*>& sets, std::set<std::string>& made) {
    bool taken = false;
    for (const KernelSet* set : sets) {
      if (target.reason) break;
      const auto arch = arch_of(set->on.at(accelerator.name), accelerator, target);
      if (!arch) continue;
      taken = true;
      for (auto& instance : combine(set->instances)) {
        Item item = new_item(accelerator, target.form);
        item.arch = *arch;
        item.arch_named = target.named;
        item.set = set;
        item.entry.arch = arch->name;
        item.entry.variant = variant_of(*set, instance);
        item.instance = std::move(instance);
        item.choice = draft_.chooser.choose(
            {&accelerator,
             target.form,
             arch->name,
             !set->freestanding,
             {toolchain_need(op_.needs, accelerator), toolchain_need(set->needs, accelerator)}});
        const std::string path = image_path(item.entry);
        if (!made.insert(path).second) continue;  // 9.0 and 9.0a were asked for, both are 9.0a
        if (plan(item)) item.entry.artifact = path;
        draft_.items.push_back(std::move(item));
      }
    }
    if (!taken && (target.reason || target.named || target.form == accelerator.image_form))
      skip_target(accelerator, target, filters_text(op_, accelerator));
  }

  void make_shared_library(const Accelerator& accelerator) {
    const Accelerator& host = draft_.catalog.host();
    Item item = new_item(accelerator, host.image_form);
    item.choice = draft_.chooser.choose(
        {&accelerator, kObjectForm, "", false, {toolchain_need(op_.needs, accelerator), nullptr}});
    item.host_choice = draft_.chooser.choose({&host, kObjectForm});
    if (plan(item) && !item.host_choice) {
      item.demanded = item.host_choice.demanded;
      item.skip(*item.host_choice.reason);
    }
    if (item.planned()) {
      item.entry.artifact = accelerator.host ? fmt::format("lib/{}/{}.so", draft_.triple, op_.name)
                                             : fmt::format("lib/{}/{}/{}.so", draft_.triple,
                                                           accelerator.name, op_.name);
      for (const KernelSet& set : op_.kernels) {
        if (item.planned() && is_on(set, accelerator)) add_fat_set(item, set);
      }
    }
    draft_.items.push_back(std::move(item));
  }

  /// One compiler makes the whole object, so an arch that it doesn't know is left out.
  void add_fat_set(Item& item, const KernelSet& set) {
    if (auto unmet = find_unmet_need(op_.name, set.needs, draft_.machine))
      return item.skip(std::move(*unmet));
    FatSet fat{&set, {}};
    const Accelerator& accelerator = *item.accelerator;
    if (accelerator.host) return item.fat_sets.push_back(std::move(fat));
    const Targets& targets = targets_of(accelerator);
    if (targets.out) return item.skip(*targets.out);
    for (const Target& target : targets.list) {
      const auto arch =
          target.reason ? std::nullopt : arch_of(set.on.at(accelerator.name), accelerator, target);
      if (!arch) {
        if (target.reason || target.named)
          skip_target(accelerator, target, filters_text(op_, accelerator));
        continue;
      }
      if (!offers(*item.choice.toolchain, arch->name)) {
        skip_fat_arch(item, target, *arch);
        continue;
      }
      fat.archs.push_back({target.form, *arch});
      list_arch(target, *arch, item);
    }
    if (fat.archs.empty()) {
      return item.skip({ReasonCode::arch_filter_empty,
                        fmt::format("{} has kernels for {} {}, and none of these archs is built",
                                    op_.name, accelerator.name, filters_text(op_, accelerator)),
                        ""});
    }
    item.fat_sets.push_back(std::move(fat));
  }
};

}  // namespace

void make_items(Draft& draft) {
  draft.targets.clear();
  draft.items.clear();
  bool needs_runtime = false;
  for (const Op* op : draft.scope.ops) {
    if (op->kind == OpKind::python_extension) {
      make_extension_items(draft, *op);
      continue;
    }
    needs_runtime = true;
    OpItems(draft, *op).make();
  }
  if (draft.catalog.runtime && needs_runtime) {
    draft.items.push_back(
        OpItems(draft, *draft.catalog.runtime).host_library("lib" + draft.catalog.runtime->name));
  }
}

}  // namespace dsbuild::plan
