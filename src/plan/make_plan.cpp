#include "plan/make_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/text.h"
#include "plan/canaries.h"
#include "plan/compile_words.h"
#include "plan/draft.h"
#include "plan/extension_steps.h"
#include "plan/items.h"
#include "plan/need_trials.h"
#include "plan/required.h"
#include "plan/step_environment.h"
#include "plan/steps.h"
#include "plan/torch_match.h"

namespace dsbuild::plan {
namespace {

using manifest::Op;
using manifest::OpKind;

// ---- passes, in order --------------------------------------------------------------------------

void look_up_names(Draft& draft, Diagnostics& diagnostics) {
  draft.scope = find_scope(draft.request, draft.catalog, draft.machine, diagnostics);
  draft.tree_flags = find_tree_flags(draft.catalog, draft.request.environment, diagnostics);
  draft.triple = draft.machine.host.triple.value.value_or("unknown");
  draft.baseline = find_baseline(draft.catalog.host(), draft.scope.machine);
  const auto add_standard = [&](const Op& op) {
    draft.standards.emplace(op.name, find_standard(op, draft.catalog, diagnostics));
  };
  for (const Op* op : draft.scope.ops) add_standard(*op);
  if (draft.catalog.runtime) add_standard(*draft.catalog.runtime);
}

/// Until no toolchain is chosen whose canary has failed.
void choose_toolchains(Draft& draft) {
  do {
    draft.trials.clear();
    make_items(draft);
  } while (!add_canaries(draft));
}

Reason because_of(const std::string& what, const Reason& reason) {
  return {reason.code, what + ": " + reason.text, reason.hint};
}

/// The first reason of the op's images, one that the user didn't ask for if there is any.
const Item* first_skipped(const std::vector<Item*>& items) {
  const Item* first = nullptr;
  for (const Item* item : items) {
    if (item->planned()) continue;
    if (item->entry.reason->code != ReasonCode::accelerator_not_requested) return item;
    if (first == nullptr) first = item;
  }
  return first;
}

/// An op of kind `library` is its library and its images: neither is of use without the other.
void match_library(Item& library, const std::vector<Item*>& images) {
  const bool any = std::any_of(images.begin(), images.end(), [](auto* i) { return i->planned(); });
  if (library.planned() && !any && !images.empty()) {
    library.skip(because_of("no image of " + library.op->name + " is built",
                            *first_skipped(images)->entry.reason));
  } else if (!library.planned()) {
    const Reason reason = because_of("the host library of " + library.op->name + " can't be built",
                                     *library.entry.reason);
    for (Item* image : images) {
      if (!image->planned()) continue;
      image->demanded = library.demanded;
      image->skip(reason);
    }
  }
}

void match_libraries(Draft& draft) {
  std::vector<Item*> images;
  bool anything = false;
  for (Item& item : draft.items) {
    if (item.op->kind == OpKind::library && !item.entry.is_host_library()) {
      images.push_back(&item);
      continue;
    }
    if (item.op->kind == OpKind::library) match_library(item, images);
    images.clear();
  }
  const auto is_runtime = [&](const Item& item) {
    return draft.catalog.runtime && item.op == &*draft.catalog.runtime;
  };
  for (const Item& item : draft.items) anything = anything || (item.planned() && !is_runtime(item));
  if (!anything) std::erase_if(draft.items, is_runtime);
}

/// By op, accelerator, arch as a number, form, variant.
bool item_less(const Item& a, const Item& b) {
  if (const auto order = a.entry.op <=> b.entry.op; order != 0) return order < 0;
  if (const auto order = a.entry.accelerator <=> b.entry.accelerator; order != 0) return order < 0;
  if (manifest::arch_less(a.arch, b.arch)) return true;
  if (manifest::arch_less(b.arch, a.arch)) return false;
  return std::tie(a.entry.form, a.entry.variant) < std::tie(b.entry.form, b.entry.variant);
}

std::vector<Item*> sort_items(Draft& draft) {
  std::vector<Item*> items;
  for (Item& item : draft.items) items.push_back(&item);
  std::stable_sort(items.begin(), items.end(),
                   [](const Item* a, const Item* b) { return item_less(*a, *b); });
  return items;
}

/// By id; those that several entries share are once.
void sort_steps(std::vector<Step>& steps) {
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.id < b.id; });
  steps.erase(std::unique(steps.begin(), steps.end(),
                          [](const Step& a, const Step& b) {
                            return a.id == b.id && a.argv == b.argv && a.inputs == b.inputs;
                          }),
              steps.end());
}

void add_entries(const Draft& draft, const std::vector<Item*>& items, Plan& plan) {
  plan.entries.reserve(items.size());
  plan.steps.reserve(2 * items.size());
  for (Item* at : items) {
    Item& item = *at;
    if (item.planned()) {
      std::vector<Step> steps = make_item_steps(draft, item);
      for (Step& step : steps) {
        item.entry.steps.push_back(step.id);
        plan.steps.push_back(std::move(step));
      }
      item.entry.needs = find_load_needs(draft, item);
      std::sort(item.entry.trials.begin(), item.entry.trials.end());
      plan.host_bound = plan.host_bound || item.is_native();
    }
    plan.entries.push_back(std::move(item.entry));
  }
  sort_steps(plan.steps);
  share_headers(plan.steps);
  const auto twice = std::adjacent_find(plan.steps.begin(), plan.steps.end(),
                                        [](const Step& a, const Step& b) { return a.id == b.id; });
  if (twice != plan.steps.end()) {
    throw Error(ExitCode::bad_input, "two commands would make the same file", twice->id,
                "rename one of the sources, or give one kernel set a \"name\"");
  }
  if (plan.host_bound && draft.machine.cpu.features)
    plan.host_features = *draft.machine.cpu.features;
}

void add_trials(Draft& draft, Plan& plan) {
  std::vector<std::string> used;
  for (const Entry& entry : plan.entries)
    used.insert(used.end(), entry.trials.begin(), entry.trials.end());
  std::sort(used.begin(), used.end());
  for (auto& [key, trial] : draft.trials) {
    if (std::binary_search(used.begin(), used.end(), key)) plan.trials.push_back(std::move(trial));
  }
}

std::string describe_tree(const manifest::SourceTree& tree) {
  return fmt::format("{} {} at {}", tree.name,
                     tree.version ? tree.version->number() : "of unknown version",
                     tree.root.string());
}

void add_settings(Draft& draft, const std::vector<std::string>& left_out, Plan& plan) {
  const Scope& scope = draft.scope;
  const auto add = [&plan](std::string name, std::string value, std::string origin) {
    plan.settings.push_back({std::move(name), std::move(value), std::move(origin)});
  };
  std::vector<std::string> accelerators;
  for (const auto* accelerator : scope.accelerators) {
    // "All" means all that can be compiled for.
    if (scope.accelerators_named || accelerator->unbuilt.empty())
      accelerators.push_back(accelerator->name);
  }
  std::vector<std::string> ops;
  for (const Op* op : scope.ops) ops.push_back(op->name);
  const std::string by_default = "default";
  add("accelerators", join(accelerators, " "),
      scope.accelerators_named ? scope.accelerators_origin : by_default);
  add("ops", join(ops, " "), scope.ops_origin.empty() ? by_default : scope.ops_origin);
  if (draft.catalog.tree) add("source", describe_tree(*draft.catalog.tree), "--source");
  for (const TreeFlags& row : draft.tree_flags) add(row.variable, row.value, row.variable);
  if (!left_out.empty()) add(kNotPassedOn, join(left_out, " "), "environment");
  for (const auto& [name, targets] : draft.targets) {
    if (targets.out) continue;
    const manifest::Accelerator& accelerator = draft.catalog.accelerators.at(name);
    add("archs." + name, describe(targets.list, accelerator), targets.origin);
    const Choice& choice = choose_usual(accelerator, draft.chooser);
    if (choice) add("toolchain." + name, describe(*choice.toolchain), choice.toolchain->origin);
  }
  const auto& torches = draft.machine.torches;
  const bool used = std::any_of(draft.items.begin(), draft.items.end(),
                                [](const Item& item) { return item.torch != nullptr; });
  if (used || (!torches.empty() && torches.front().demanded))
    add("torch", describe(torches.front()), torches.front().origin);
  if (used && read_skip_check(draft.request.environment).skipped)
    add("torch check", "skipped", kSkipCheck);
  std::sort(plan.settings.begin(), plan.settings.end(),
            [](const Setting& a, const Setting& b) { return a.name < b.name; });
}

void add_notes(Draft& draft, const std::vector<std::string>& left_out, Plan& plan) {
  for (const auto& [name, targets] : draft.targets) {
    if (!targets.note.empty()) plan.notes.push_back(targets.note);
  }
  const SkipCheck check = read_skip_check(draft.request.environment);
  const bool extensions = std::any_of(draft.items.begin(), draft.items.end(),
                                      [](const Item& item) { return item.torch; });
  if (extensions && !check.note.empty()) plan.notes.push_back(check.note);
  for (std::string& note : draft.chooser.notes()) plan.notes.push_back(std::move(note));
  if (!left_out.empty()) {
    plan.notes.push_back("not passed on to compilers: " + join(left_out, ", ") +
                         " (set in the environment; flags belong in the op's manifest)");
  }
}

}  // namespace

Plan make_plan(const Request& request, const manifest::Catalog& catalog,
               const probe::Machine& machine, Diagnostics& diagnostics) {
  Draft draft(request, catalog, machine);
  look_up_names(draft, diagnostics);
  choose_toolchains(draft);
  add_need_trials(draft);
  match_libraries(draft);
  mark_required(draft);

  Plan plan;
  plan.triple = draft.triple;
  plan.paths = draft.paths.all();
  add_entries(draft, sort_items(draft), plan);
  add_trials(draft, plan);
  std::vector<std::string> left_out = find_left_out(request.environment);
  for (const TreeFlags& row : draft.tree_flags) std::erase(left_out, row.variable);
  add_settings(draft, left_out, plan);
  add_notes(draft, left_out, plan);
  return plan;
}

}  // namespace dsbuild::plan
