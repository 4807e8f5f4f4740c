// Starts one step's command in our own process group and stays with it to its end, whoever wants
// it to end. Knows processes and signals; nothing of logs, outputs or Ninja.
#pragma once

#include <cstdint>
#include <string>

#include "plan/step_file.h"

namespace dsbuild::run {

/// How a command ended.
struct LaunchResult {
  std::string failure;  ///< why it could not be started; empty when it was
  int exit_code = -1;
  int signal = 0;            ///< that ended it
  bool interrupted = false;  ///< we were told to stop meanwhile
  double seconds = 0;
  std::int64_t peak_memory = 0;  ///< bytes of its largest process

  bool ok() const { return failure.empty() && !interrupted && signal == 0 && exit_code == 0; }
  /// "exit status 1", "killed by signal 9 (Killed)", "can't start /x/nvcc: Permission denied".
  std::string describe(const std::string& program) const;
};

/// Runs `step.argv` with exactly `step.environment`, nothing on its input and both outputs in the
/// file `log`. A SIGINT, SIGTERM or SIGHUP to our group is for the command: we wait until it has
/// ended, and ignore these signals from then on. `events` is the pipe to the build, or -1: when its
/// reader is gone, the command is ended.
LaunchResult launch(const plan::StepFile& step, int log, int events);

}  // namespace dsbuild::run
