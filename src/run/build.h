// Runs a plan's Ninja files in a build folder and tells how it went.
// Knows Ninja, steps and logs; nothing of ops' meaning, of bundles or of how it is shown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "run/cache_store.h"
#include "run/preview.h"
#include "run/progress.h"

namespace dsbuild::run {

struct BuildOptions {
  std::filesystem::path folder;    ///< build folder, absolute
  std::filesystem::path launcher;  ///< this executable: `step` in the build folder links to it
  std::filesystem::path ninja;
  int jobs = 1;
  bool keep_going = false;
  bool explain = false;  ///< Ninja's -d explain, passed through
  CachePlace cache;
  bool verbose = false;        ///< show what the compilers of good steps said, too
  Preview* preview = nullptr;  ///< of this folder: Ninja isn't run again for what it found
  bool force = false;          ///< every step is run, also those that are up to date
};

/// One step that failed.
struct StepFailure {
  std::string step;         ///< Step::id
  std::string command;      ///< as a shell would take it, for copying
  std::string log;          ///< file with all the output
  std::string first_error;  ///< the compiler's first error line
  std::string cause;        ///< "exit status 1", "killed by signal 9: probably out of memory, …"
};

struct BuildOutcome {
  bool ok = false;
  bool nothing_to_do = false;  ///< everything was up to date
  std::size_t steps_run = 0;   ///< that ended well
  std::size_t cache_hits = 0;  ///< of them, those whose outputs came from the step cache
  std::size_t cache_misses = 0;
  // Of what the compilers of the others ran for each arch.
  std::size_t parts_taken = 0;
  std::size_t parts_made = 0;
  std::string cache_problem;  ///< the first reason why something could not be kept there
  std::vector<StepFailure> failures;
  std::string ninja_message;  ///< when Ninja itself complained
  bool no_space = false;      ///< the disk was full
  double seconds = 0;
};

/// Writes the build files (only those that changed) and runs Ninja. The caller holds the folder's
/// lock. Throws Error(file_system) when the folder can't be written, Error(no_toolchain) when Ninja
/// can't be started, Error(lock_timeout) when a step of a killed build does not end,
/// Error(interrupted) once Ninja has ended its steps.
BuildOutcome run_build(const plan::Plan& plan,
                       const std::map<std::string, std::string>& build_files,
                       const BuildOptions& options, Progress& progress);

/// Jobs that fit this machine: CPUs that may be used, and memory at 1 GiB a job with a tenth, at
/// least 2 GiB, in reserve. Unknown memory (0) is no limit.
int default_jobs(std::int64_t cpus, std::int64_t memory);

}  // namespace dsbuild::run
