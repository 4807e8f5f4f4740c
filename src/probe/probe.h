// Looks at the machine: files first, tools only where no file says it, in parallel, and what a tool
// said is remembered. Knows how to find facts, not what they are good for.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/system.h"
#include "manifest/catalog.h"
#include "probe/machine.h"
#include "probe/pythons.h"

namespace dsbuild::probe {

/// What to look for, besides what the catalog's descriptors say.
struct ProbeOptions {
  std::map<std::string, std::string>
      toolkits;                        ///< toolchain kind -> path that the user demands (--toolkit)
  std::filesystem::path cache_folder;  ///< where tools' answers are kept; empty: nowhere
  bool same_host =
      true;  ///< the root is the running machine's: CPUID and affinity may be asked directly
  bool torches = false;  ///< also look for PyTorch, for ops that are extensions of it
  std::string torch;     ///< the folder of its package, or the one around it (--torch)
  std::string python;    ///< the interpreter or the environment whose torch is taken (--python)
  std::vector<std::string>
      python_packages;  ///< whose versions in torch's environment are asked for ("triton")
  bool survey = false;  ///< also look for what only a report tells
  /// Also compile and link something with each library of the survey. Only on the running machine.
  bool try_libraries = false;
};

/// Never fails, but for an interrupt: what can't be found is a fact with a reason, and a source
/// that fails is one of the machine's problems. `known`: what was found by the same options before;
/// null when nothing was.
Machine probe_machine(const System& system, ProcessRunner& processes,
                      const manifest::Catalog& catalog, const ProbeOptions& options,
                      const Pythons* known = nullptr);

}  // namespace dsbuild::probe
