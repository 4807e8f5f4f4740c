// Asks Ninja whether there is anything to do in a build folder, while the plan is still being made.
// Knows Ninja's dry run and what an earlier build left; nothing of plans.
#pragma once

#include <filesystem>
#include <future>

#include "base/process.h"

namespace dsbuild::run {

/// The link in a build folder to the Ninja that built there last.
inline constexpr const char* kNinjaLink = "ninja";

/// A dry run of the Ninja that built in the folder last, on the files that it had. What it finds
/// holds for whoever wants those very files. The caller holds the folder's lock: Ninja mends logs
/// that end early, on a dry run, too.
class Preview {
 public:
  /// Starts it. In a folder where nothing was built there is nothing to ask.
  Preview(ProcessRunner& processes, const std::filesystem::path& folder);

  /// Whether Ninja found everything up to date. Waits for it to end; what goes wrong is "no".
  /// Throws Error(interrupted).
  bool nothing_to_do();

 private:
  std::future<ProcessResult> dry_run_;
};

}  // namespace dsbuild::run
