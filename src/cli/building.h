// What every command that builds does before and after Ninja runs: how many jobs, where progress is
// shown, what stops a build before anything is compiled. Knows the terminal and the settings;
// src/run builds.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cli/context.h"
#include "run/build.h"
#include "run/progress.h"

namespace dsbuild::cli {

/// By -j (`flag`; empty: not given), DSBUILD_JOBS, MAX_JOBS, else what fits this machine. Throws
/// Error(bad_input).
int choose_jobs(const Context& context, const std::string& flag, const probe::Machine& machine);

/// Of a TMPDIR that is not there compilers only say that some file can't be opened, or fall back to
/// /tmp without a word. Throws Error(file_system).
void check_temporary_folder(const System& system);

/// On stderr.
std::unique_ptr<run::Progress> make_progress(const Context& context);

/// What was named and can't be had stops the build before anything is compiled: throws Error with
/// the plan's verdict, after a line for each.
void refuse_if_missing(Context& context, const plan::Plan& plan, bool keep_going);

/// Throws Error(no_toolchain).
std::filesystem::path find_ninja(const probe::Machine& machine);

ExitCode exit_code_of(const run::BuildOutcome& outcome);

}  // namespace dsbuild::cli
