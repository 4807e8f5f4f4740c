// argv in, exit code out: parses the command line and runs one subcommand.
// Knows the table of commands; main catches what it throws.
#pragma once

#include "base/exit_code.h"

namespace dsbuild::cli {

/// Throws Error for wrong usage (bad_input) and whatever the command throws.
ExitCode run_command_line(int argc, char** argv);

}  // namespace dsbuild::cli
