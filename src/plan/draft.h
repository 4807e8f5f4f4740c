// A plan in the making: what the passes of make_plan share and hand on.
// Knows the passes' values, not the passes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "manifest/arch_name.h"
#include "manifest/catalog.h"
#include "plan/plan.h"
#include "plan/recipes.h"
#include "plan/scope.h"
#include "plan/source_paths.h"
#include "plan/targets.h"
#include "plan/toolchain_choice.h"
#include "plan/tree_variables.h"
#include "probe/machine.h"

namespace dsbuild::plan {

/// Kernel sources of a shared_library and the archs that they are compiled for, in one object each.
struct FatSet {
  const manifest::KernelSet* set = nullptr;
  std::vector<FatArch> archs;  ///< none for the host accelerator: its objects are for the baseline
};

/// A part of a python_extension, and the archs that its device sources are compiled for.
struct PartBuild {
  const manifest::ExtensionPart* part = nullptr;
  std::vector<FatArch> archs;
};

/// An entry and what it is made from.
struct Item {
  Entry entry;
  const manifest::Op* op = nullptr;
  const manifest::Accelerator* accelerator = nullptr;
  manifest::ArchName arch;
  Choice choice;                             ///< of an image, or of a shared_library's device code
  Choice host_choice;                        ///< of a library: its host objects and its link
  const manifest::KernelSet* set = nullptr;  ///< of an image
  std::map<std::string, std::string> instance;  ///< of an image: macro -> value
  std::vector<FatSet> fat_sets;                 ///< of a shared_library
  std::vector<PartBuild> parts;                 ///< of a python_extension
  manifest::ArchName level;                     ///< of its host code
  const probe::Torch* torch = nullptr;          ///< that it is for
  /// Of ExtensionRecipe::macros, those that its sources name: the value that its archs agree on.
  std::map<std::string, std::string> macros;
  bool arch_named = false;  ///< this very arch was asked for
  bool demanded = false;    ///< skipped because of a toolchain that the user named

  /// It is for the CPU of this very host.
  bool is_native() const {
    return level.name == kNativeArch ||
           (accelerator->archs.native_is_host && arch.name == kNativeArch);
  }
  /// Of a python_extension: some of its sources are for the accelerator's own compiler.
  bool uses_device() const { return choice.toolchain != host_choice.toolchain; }
  bool planned() const { return entry.state == EntryState::planned; }
  void skip(Reason reason) {
    entry.state = EntryState::skipped;
    entry.reason = std::move(reason);
    entry.toolchain.clear();
    entry.artifact.clear();
    entry.archs.clear();
    entry.trials.clear();
  }
};

/// Archs of all device code in a library, each once, in order.
std::vector<FatArch> fat_archs_of(const Item& item);

struct Draft {
  Draft(const Request& request_, const manifest::Catalog& catalog_, const probe::Machine& machine_)
      : request(request_),
        catalog(catalog_),
        machine(machine_),
        paths(catalog_),
        chooser(catalog_, machine_) {}

  const Request& request;
  const manifest::Catalog& catalog;
  const probe::Machine& machine;
  SourcePaths paths;
  ToolchainChooser chooser;
  Scope scope;
  std::string triple;
  std::string baseline;                          ///< arch of host libraries
  std::map<std::string, std::string> standards;  ///< op -> "-std=c++17"
  std::vector<TreeFlags> tree_flags;             ///< of the source tree's variables
  std::map<std::string, Targets> targets;        ///< by accelerator, those that were asked about
  std::vector<Item> items;
  std::map<std::string, Trial> trials;  ///< by key
};

}  // namespace dsbuild::plan
