// The log of one step: its command, then what the command said, then why it failed.
// Knows the log's form and place; nothing of compilers.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "plan/step_file.h"

namespace dsbuild::run {

/// Where a step's log lies in the build folder.
std::filesystem::path log_path(std::string_view step_id);

/// The command as a shell would take it from anywhere: folder, environment, words.
std::string render_command(const plan::StepFile& step, const std::filesystem::path& folder);

/// A log that is being written.
class StepLog {
 public:
  /// Throws Error(file_system).
  StepLog(const std::filesystem::path& folder, const plan::StepFile& step);
  ~StepLog();
  StepLog(const StepLog&) = delete;
  StepLog& operator=(const StepLog&) = delete;

  int fd() const { return fd_; }
  /// Forgets what was said.
  void restart() const;
  /// Adds the cause; without one, a log in which nothing was said is removed.
  void finish(const std::string& cause);

 private:
  std::filesystem::path path_;
  std::size_t header_size_ = 0;
  int fd_ = -1;
};

/// A log taken apart; empty parts where there is no such file.
struct LogText {
  std::string command;
  std::string output;  ///< what the command said
};
LogText read_log(const std::filesystem::path& path);

}  // namespace dsbuild::run
