// Starts programs: no shell, a complete environment, a time limit, a bounded amount of output.
// Knows no program by name.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system.h"

namespace dsbuild {

/// What to start. The child gets exactly `environment`, nothing of ours.
struct Command {
  std::vector<std::string> argv;  ///< argv[0] is a path
  Environment environment;
  std::filesystem::path folder;             ///< where it runs; empty: where we run
  std::chrono::milliseconds limit{10'000};  ///< then its process group is killed; 0: no limit
  std::size_t output_limit = 4u << 20;  ///< bytes kept of each stream; the rest is read and dropped
};

/// How it went.
struct ProcessResult {
  int exit_code = -1;  ///< valid when it exited by itself
  int signal = 0;      ///< the signal that ended it
  bool timed_out = false;
  int left_behind = 0;  ///< the process that could not even be killed: stuck in the kernel
  std::string failure;  ///< why it could not be started; empty when it was
  std::string out;
  std::string err;

  bool ok() const { return failure.empty() && !timed_out && signal == 0 && exit_code == 0; }
  /// "exit status 1", "killed by signal 9", "no answer in 10 s", "Permission denied".
  std::string describe() const;
};

/// Starts programs and waits for them. Tests replace it.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  virtual ProcessResult run(const Command& command) = 0;
};

/// Real processes, by posix_spawn, in a process group of their own. An interrupt (interrupt.h) ends
/// the group, two kill it; then, and where one came before, run throws Error(interrupted).
class PosixProcessRunner final : public ProcessRunner {
 public:
  ProcessResult run(const Command& command) override;
};

/// Starts a command and hands its output on as it comes (both streams in one, as a terminal shows
/// them). `on_output` gets raw pieces; `on_tick` is called at least every 100 ms while it runs. The
/// result's `out` is empty. A first interrupt is passed on to the child's group as SIGINT, and it
/// may take its time; a second one kills it. Then throws Error(interrupted).
ProcessResult run_streaming(const Command& command,
                            const std::function<void(std::string_view)>& on_output,
                            const std::function<void()>& on_tick);

}  // namespace dsbuild
