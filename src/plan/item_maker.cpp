#include "plan/item_maker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace dsbuild::plan {

using manifest::Accelerator;
using manifest::ArchName;

std::vector<FatArch> fat_archs_of(const Item& item) {
  std::vector<FatArch> all;
  const auto add = [&all](const std::vector<FatArch>& archs) {
    for (const FatArch& arch : archs) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const FatArch& other) {
        return other.form == arch.form && other.arch == arch.arch;
      });
      if (!known) all.push_back(arch);
    }
  };
  for (const FatSet& fat : item.fat_sets) add(fat.archs);
  for (const PartBuild& part : item.parts) add(part.archs);
  return all;
}

std::string describe(const std::vector<const manifest::ArchFilter*>& filters) {
  std::vector<std::string> parts;
  for (const manifest::ArchFilter* filter : filters) {
    const bool bound = filter->kind == manifest::ArchFilter::Kind::at_least;
    std::string part = (bound ? ">=" : "") + join(filter->archs, ", ");
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  return join(parts, " or ");
}

Item ItemMaker::new_item(const Accelerator& accelerator, const std::string& form) const {
  Item item;
  item.op = &op_;
  item.accelerator = &accelerator;
  item.entry.op = op_.name;
  item.entry.accelerator = accelerator.name;
  item.entry.form = form;
  return item;
}

void ItemMaker::skip_whole(const Accelerator& accelerator, Reason reason, bool demanded) {
  Item item = new_item(accelerator, accelerator.image_form);
  item.demanded = demanded;
  item.skip(std::move(reason));
  draft_.items.push_back(std::move(item));
}

bool ItemMaker::plan(Item& item) const {
  if (!item.choice) {
    item.demanded = item.choice.demanded;
    item.skip(*item.choice.reason);
    return false;
  }
  if (draft_.baseline.empty()) {
    item.skip(no_archs_of_machine(draft_.catalog.host(), draft_.scope.machine));
    return false;
  }
  item.entry.state = EntryState::planned;
  item.entry.toolchain = item.choice.toolchain->id;
  return true;
}

const VersionRange* ItemMaker::toolchain_need(const manifest::Needs& needs,
                                              const Accelerator& accelerator) {
  const auto range = needs.toolchains.find(accelerator.name);
  return range == needs.toolchains.end() ? nullptr : &range->second;
}

Reason ItemMaker::no_kernel(const Accelerator& accelerator,
                            const std::vector<std::string>& own) const {
  std::string text = fmt::format("{} has no kernel for {}; it has: {}", op_.name, accelerator.name,
                                 join(own, ", "));
  if (!accelerator.unbuilt.empty()) text += "; and " + accelerator.unbuilt;
  return {ReasonCode::no_kernel, text, "leave " + accelerator.name + " out for this op"};
}

Reason ItemMaker::not_requested(const std::string& accelerator) const {
  const Scope& scope = draft_.scope;
  return {ReasonCode::accelerator_not_requested,
          scope.accelerators_origin + " leaves " + accelerator + " out",
          scope.way_to_add(accelerator)};
}

const Targets& ItemMaker::targets_of(const Accelerator& accelerator) {
  const auto [at, is_new] = draft_.targets.try_emplace(accelerator.name);
  if (is_new) at->second = find_targets(accelerator, draft_.scope, draft_.machine, draft_.chooser);
  return at->second;
}

std::optional<ArchName> ItemMaker::arch_of(const manifest::ArchFilter& filter,
                                           const Accelerator& accelerator,
                                           const Target& target) const {
  auto arch = manifest::apply_filter(accelerator, filter, target.arch, draft_.scope.machine);
  // "9.0" became "9.0a", whose portable code no later device runs.
  const bool bound =
      arch && arch->suffix != target.arch.suffix && target.form == accelerator.portable_form;
  return bound ? std::nullopt : arch;
}

void ItemMaker::skip_target(const Accelerator& accelerator, const Target& target,
                            const std::string& taken) {
  Item item = new_item(accelerator, target.form);
  item.arch = target.arch;
  item.arch_named = target.named;
  item.entry.arch = target.arch.name;
  item.skip(target.reason ? *target.reason
                          : Reason{ReasonCode::arch_filter_empty,
                                   fmt::format("{} has kernels for {} {}, not for {}", op_.name,
                                               accelerator.name, taken,
                                               target.form == accelerator.image_form
                                                   ? target.arch.name
                                                   : target.form + " of " + target.arch.name),
                                   ""});
  draft_.items.push_back(std::move(item));
}

void ItemMaker::skip_fat_arch(const Item& library, const Target& target, const ArchName& arch) {
  Item item = new_item(*library.accelerator, library.entry.form);
  item.arch = arch;
  item.arch_named = target.named;
  item.entry.arch = arch.name;
  item.skip({ReasonCode::arch_unknown_to_toolchain,
             fmt::format("{}, which makes the library, doesn't compile for {}",
                         describe(*library.choice.toolchain), arch.name),
             "take another toolchain, or leave the arch out"});
  draft_.items.push_back(std::move(item));
}

void ItemMaker::list_arch(const Target& target, const ArchName& arch, Item& item) {
  std::string name = arch.name;
  if (target.form != item.accelerator->image_form) name += "+" + target.form;
  std::vector<std::string>& names = item.entry.archs;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

}  // namespace dsbuild::plan
