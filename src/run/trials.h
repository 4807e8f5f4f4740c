// Tries the plan's trials: canaries of toolchains and what ops need, with the final flags, before
// anything real is built. Knows how to run and remember them, not what they mean.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "plan/plan.h"
#include "probe/machine.h"
#include "run/progress.h"

namespace dsbuild::run {

/// The answers kept in `cache_folder` (empty: none are), by trial key. A missing or damaged entry
/// is simply not there.
std::map<std::string, probe::TrialResult> read_trial_results(
    const plan::Plan& plan, const std::filesystem::path& cache_folder);

/// Runs the trials whose answer is not in `known`, in parallel, and returns all answers; new ones
/// are kept in `cache_folder` (failures only for this run: a compiler may be mended in place). What
/// stops one of them, an interrupt or a full disk, is thrown once all have ended.
std::map<std::string, probe::TrialResult> run_trials(
    const plan::Plan& plan, std::map<std::string, probe::TrialResult> known,
    const std::filesystem::path& cache_folder, int jobs, Progress& progress);

}  // namespace dsbuild::run
