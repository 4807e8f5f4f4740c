// What an accelerator's archs are in this plan: wishes or defaults, resolved against toolchains and
// devices. Knows archs; nothing of ops.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manifest/arch_name.h"
#include "plan/arch_list.h"
#include "plan/reasons.h"
#include "plan/scope.h"
#include "plan/toolchain_choice.h"
#include "probe/machine.h"

namespace dsbuild::plan {

/// One image to make of every kernel that takes the arch.
struct Target {
  manifest::ArchName arch;
  std::string form;
  bool named = false;            ///< this very arch was asked for
  std::optional<Reason> reason;  ///< why it can't be: native without a device
};

struct Targets {
  std::vector<Target> list;  ///< by arch, the arch's own image first
  std::string origin;        ///< "--arch", "TORCH_CUDA_ARCH_LIST", "default"
  std::string note;  ///< a sentence for people: the archs, where they come from, what native is
  std::optional<Reason> out;  ///< why there are none at all
  bool demanded = false;      ///< `out` because the toolchain that the user named can't be used
};

Targets find_targets(const manifest::Accelerator& accelerator, const Scope& scope,
                     const probe::Machine& machine, ToolchainChooser& chooser);

/// "sm_75, sm_80 and ptx of sm_80".
std::string describe(const std::vector<Target>& targets, const manifest::Accelerator& accelerator);

/// The oldest default arch of the host accelerator: what host libraries are compiled for. Empty
/// where it has none for the machine; then nothing can be compiled, for this reason.
std::string find_baseline(const manifest::Accelerator& host, const std::string& machine);
Reason no_archs_of_machine(const manifest::Accelerator& accelerator, const std::string& machine);

}  // namespace dsbuild::plan
