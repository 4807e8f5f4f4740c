// Why something is not built: the one table of reasons. Knows no op and no machine.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/exit_code.h"

namespace dsbuild::plan {

enum class ReasonCode {
  accelerator_not_requested,
  no_kernel,
  toolchain_absent,
  toolchain_partial,
  toolchain_version,
  host_compiler,
  arch_unknown_to_toolchain,
  arch_filter_empty,
  no_device,
  trial_failed,
  need_missing,
  need_version,
  machine_unsupported,
  torch_absent,
  torch_unsuited,
  nothing_native,
  step_failed,
};

struct ReasonRow {
  ReasonCode code;
  std::string_view id;       ///< in JSON
  std::string_view meaning;  ///< in the documents
  ExitCode when_required;    ///< the exit code when what is skipped was named
};

// The rows are in the order of the enum (a test walks them).
inline constexpr std::array<ReasonRow, 17> kReasons{{
    {ReasonCode::accelerator_not_requested, "accelerator_not_requested",
     "another accelerator was asked for", ExitCode::no_op},
    {ReasonCode::no_kernel, "no_kernel", "the op has no kernel for the accelerator",
     ExitCode::no_op},
    {ReasonCode::toolchain_absent, "toolchain_absent",
     "no toolchain for the accelerator is on this machine", ExitCode::no_toolchain},
    {ReasonCode::toolchain_partial, "toolchain_partial", "the toolchain lacks a part",
     ExitCode::no_toolchain},
    {ReasonCode::toolchain_version, "toolchain_version",
     "the toolchain's version is outside of what is needed", ExitCode::no_toolchain},
    {ReasonCode::host_compiler, "host_compiler",
     "the toolchain takes none of the host compilers that were found", ExitCode::no_toolchain},
    {ReasonCode::arch_unknown_to_toolchain, "arch_unknown_to_toolchain",
     "no toolchain here compiles for the arch", ExitCode::no_toolchain},
    {ReasonCode::arch_filter_empty, "arch_filter_empty", "the op's kernels are not for the arch",
     ExitCode::no_op},
    {ReasonCode::no_device, "no_device", "native was asked for and no such device was found",
     ExitCode::no_toolchain},
    {ReasonCode::trial_failed, "trial_failed", "the toolchain failed its canary",
     ExitCode::no_toolchain},
    {ReasonCode::need_missing, "need_missing", "something that the op needs is not here",
     ExitCode::no_op},
    {ReasonCode::need_version, "need_version", "something that the op needs has the wrong version",
     ExitCode::no_op},
    {ReasonCode::machine_unsupported, "machine_unsupported",
     "the op is not for this kind of host machine", ExitCode::no_op},
    {ReasonCode::torch_absent, "torch_absent", "no torch was found to build the extension for",
     ExitCode::no_toolchain},
    {ReasonCode::torch_unsuited, "torch_unsuited",
     "this torch was not built for the accelerator, or with another major version of its toolkit",
     ExitCode::no_toolchain},
    {ReasonCode::nothing_native, "nothing_native", "there is nothing native in it to build",
     ExitCode::no_op},
    {ReasonCode::step_failed, "step_failed", "a command that makes it failed",
     ExitCode::step_failed},
}};

/// Why one entry is skipped.
struct Reason {
  ReasonCode code = ReasonCode::no_kernel;
  std::string text;  ///< the whole sentence, with names and paths
  std::string hint;  ///< what would change it
};

/// "no compiler for it (install one)"
inline std::string with_hint(const Reason& reason) {
  return reason.text + (reason.hint.empty() ? "" : " (" + reason.hint + ")");
}

/// The table's row.
constexpr const ReasonRow& reason_row(ReasonCode code) {
  return kReasons[static_cast<std::size_t>(code)];
}

}  // namespace dsbuild::plan
