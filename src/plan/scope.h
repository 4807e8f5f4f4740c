// A request looked up in the catalog: which ops, accelerators and archs are asked about, and which
// of them were named. Knows names; nothing of toolchains.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "manifest/catalog.h"
#include "plan/arch_list.h"
#include "plan/request.h"
#include "probe/machine.h"

namespace dsbuild::plan {

/// The word that asks for every op.
inline constexpr const char* kAllOps = "all";

struct Scope {
  std::vector<const manifest::Op*> ops;                    ///< by name
  std::vector<const manifest::Accelerator*> accelerators;  ///< by name
  std::set<std::string> named_ops;                         ///< that must lead to something
  std::string ops_origin;  ///< "--ops", "DS_BUILD_AIO"; empty: all, by default
  bool accelerators_named = false;
  std::string accelerators_origin;  ///< "--accelerators", "DS_ACCELERATOR"; empty: not named
  bool of_machines = false;         ///< they are those that machines have, not named by themselves
  std::map<std::string, ArchWishes> archs;  ///< by accelerator
  std::string machine;                      ///< of the host: "x86_64"; empty: unknown

  bool asks_for(const manifest::Accelerator& accelerator) const;
  bool names_op(const std::string& op) const { return named_ops.contains(op); }
  const ArchWishes* wishes_of(const std::string& accelerator) const;
  /// How the user asks for an accelerator that was left out.
  std::string way_to_add(const std::string& accelerator) const;
  /// The accelerator must lead to something: it was named, or archs of it were in --arch. A
  /// variable says how to build for it, not that one must.
  bool names(const manifest::Accelerator& accelerator) const;
};

/// The names of the ops that a plan of the request is about.
std::vector<std::string> find_asked_ops(const Request& request, const manifest::Catalog& catalog);

/// Unknown names go to `diagnostics` with the nearest known one.
Scope find_scope(const Request& request, const manifest::Catalog& catalog,
                 const probe::Machine& machine, Diagnostics& diagnostics);

}  // namespace dsbuild::plan
