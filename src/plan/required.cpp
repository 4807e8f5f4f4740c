#include "plan/required.h"

#include <algorithm>
#include <set>
#include <utility>

namespace dsbuild::plan {
namespace {

/// Left out because the user said so: never an obstacle.
bool is_left_out(const Item& item) {
  return item.entry.reason->code == ReasonCode::accelerator_not_requested;
}

/// The machine can't do it, whatever the op.
bool is_of_machine(ReasonCode code) {
  switch (code) {
    case ReasonCode::toolchain_absent:
    case ReasonCode::toolchain_partial:
    case ReasonCode::toolchain_version:
    case ReasonCode::host_compiler:
    case ReasonCode::arch_unknown_to_toolchain:
    case ReasonCode::no_device:
    case ReasonCode::trial_failed:
    case ReasonCode::torch_absent:
    case ReasonCode::torch_unsuited:
      return true;
    default:
      return false;
  }
}

/// What the op needs is not here.
bool is_of_needs(ReasonCode code) {
  return code == ReasonCode::need_missing || code == ReasonCode::need_version ||
         code == ReasonCode::machine_unsupported;
}

/// The op can't do it, whatever the machine.
bool is_of_op(ReasonCode code) {
  return code == ReasonCode::no_kernel || code == ReasonCode::arch_filter_empty ||
         code == ReasonCode::nothing_native;
}

/// Names that lead to something.
struct Reached {
  std::set<std::string> ops;
  std::set<std::string> accelerators;
  std::set<std::pair<std::string, std::string>> archs;  ///< accelerator, arch

  void add(const Item& item) {
    if (item.entry.is_host_library()) return;
    ops.insert(item.entry.op);
    accelerators.insert(item.entry.accelerator);
    archs.emplace(item.entry.accelerator, item.entry.arch);
    for (const FatArch& arch : fat_archs_of(item))
      archs.emplace(item.entry.accelerator, arch.arch.name);
  }
};

/// Each name must lead to something.
bool leads_nowhere(const Item& item, const Scope& scope, const Reached& reached) {
  const Entry& entry = item.entry;
  if (scope.names_op(entry.op) && !reached.ops.contains(entry.op)) return true;
  if (scope.names(*item.accelerator) && !reached.accelerators.contains(entry.accelerator))
    return true;
  return scope.names_op(entry.op) && item.arch_named &&
         !reached.archs.contains({entry.accelerator, entry.arch});
}

/// The very thing that can't be had was named.
bool is_named(const Item& item, const Scope& scope) {
  const ReasonCode code = item.entry.reason->code;
  const bool accelerator_named = scope.accelerators_named && scope.asks_for(*item.accelerator);
  if (is_of_needs(code))
    return scope.names_op(item.entry.op) && (item.arch_named || accelerator_named);
  if (!is_of_machine(code)) return false;
  const ArchWishes* wishes = scope.wishes_of(item.entry.accelerator);
  const bool archs_named = wishes != nullptr && wishes->names_accelerator;
  const bool whole = item.entry.arch.empty();
  return item.arch_named || (whole && (accelerator_named || archs_named));
}

}  // namespace

void mark_required(Draft& draft) {
  // What an op can't do counts only where no better machine would help: the exit code is then that
  // of the machine.
  Reached built;
  Reached possible;
  bool machine_lacks = false;
  for (const Item& item : draft.items) {
    if (item.planned()) built.add(item);
    if (!item.planned() && (is_left_out(item) || is_of_op(item.entry.reason->code))) continue;
    possible.add(item);
    machine_lacks = machine_lacks || (!item.planned() && is_of_machine(item.entry.reason->code));
  }
  for (Item& item : draft.items) {
    if (item.planned() || is_left_out(item)) continue;
    const ReasonCode code = item.entry.reason->code;
    // Nothing at all would be built.
    const bool last_hope = built.ops.empty() && (is_of_machine(code) || !machine_lacks);
    item.entry.required = item.demanded || last_hope || is_named(item, draft.scope) ||
                          leads_nowhere(item, draft.scope, is_of_op(code) ? possible : built);
  }
}

}  // namespace dsbuild::plan
