// Marks of steps that are running, as files in the build folder: what a killed build leaves tells
// the next one which outputs may be half written. (Ninja alone can take such a file for whole: when
// it was missing before, its last log entry is right and its time is new.)
// Knows marks and outputs; nothing of Ninja.
#pragma once

#include <filesystem>
#include <string>

namespace dsbuild::run {

/// The mark of one step, from before its command starts until its outputs are checked or removed.
/// It is locked, so that whoever finds it knows whether its maker still lives.
class RunningMark {
 public:
  /// `step_file` is relative to `folder`. Throws Error(file_system).
  RunningMark(const std::filesystem::path& folder, const std::filesystem::path& step_file);
  ~RunningMark();
  RunningMark(const RunningMark&) = delete;
  RunningMark& operator=(const RunningMark&) = delete;

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

/// Removes the outputs of steps that were killed, and tells whether there were such steps. Throws
/// Error(lock_timeout) when one of them still runs after some seconds.
bool write_removal_of_half_outputs(const std::filesystem::path& folder);

}  // namespace dsbuild::run
