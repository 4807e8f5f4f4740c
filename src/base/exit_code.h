// The exit codes of dsbuild, each with its meaning: the one table behind the program and its
// documents. Knows nothing of who ends the program, or when.
#pragma once

#include <array>
#include <string_view>

namespace dsbuild {

/// What the process ends with. The numbers are an interface: scripts and CI test them.
enum class ExitCode : int {
  ok = 0,
  step_failed = 1,
  bad_input = 2,
  no_toolchain = 3,
  no_op = 4,
  lock_timeout = 5,
  file_system = 6,
  bad_artifact = 7,
  interrupted = 130,
};

struct ExitCodeRow {
  ExitCode code;
  std::string_view meaning;
};

inline constexpr std::array<ExitCodeRow, 9> kExitCodes{{
    {ExitCode::ok, "all that was asked for is built or up to date; a report was made"},
    {ExitCode::step_failed,
     "a compile, link or ninja step failed; a check that was asked for found something"},
    {ExitCode::bad_input, "bad input: command line, environment value or manifest"},
    {ExitCode::no_toolchain,
     "a named toolchain, accelerator or arch is missing, incomplete or mismatched; nothing was "
     "compiled"},
    {ExitCode::no_op, "an op asked for by name can't be built here; nothing was compiled"},
    {ExitCode::lock_timeout, "waiting for a lock took too long"},
    {ExitCode::file_system, "the file system refused: read-only, permission, no space, noexec"},
    {ExitCode::bad_artifact, "an artifact was made and failed its check"},
    {ExitCode::interrupted, "interrupted"},
}};

}  // namespace dsbuild
