// What tools say of themselves, remembered for as long as the tool is the same. Knows how to ask
// and when an answer is stale, not what any answer means.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/system.h"

namespace dsbuild::probe {

/// Thrown by `ask` when a tool would have to be started and may not be.
struct NotKept {};

/// Asks tools at most once per process, and once per machine while nothing about the tool changes:
/// what lies at the end of its links, what its wrapper script starts, the marker files of its
/// toolkit, its arguments and the variables that it gets. Only answers with exit status 0 are kept,
/// each in a file of its own below `folder`; a damaged, foreign or unwritable cache is no error.
/// Safe to use from several threads.
class AnswerCache {
 public:
  /// An empty `folder`: nothing is kept.
  AnswerCache(const System& system, ProcessRunner& processes, std::filesystem::path folder);

  /// Whether tools may be started, as they may at first. To be called while nobody asks.
  void allow_tools(bool allowed) { tools_allowed_ = allowed; }
  bool tools_allowed() const { return tools_allowed_; }

  /// What `command` (a path of `system`) says to `arguments`. `markers`: files whose change makes
  /// the answer stale, besides those of the command itself; missing ones count as such.
  ProcessResult ask(const std::filesystem::path& command, const std::vector<std::string>& arguments,
                    const std::vector<std::filesystem::path>& markers = {});

 private:
  struct Entry {
    std::once_flag asked;
    ProcessResult answer;
  };

  ProcessResult find_answer(const Command& command, const std::filesystem::path& path,
                            const std::vector<std::filesystem::path>& markers);

  ProcessResult run_tool(const Command& command);

  const System& system_;
  ProcessRunner& processes_;
  std::filesystem::path folder_;
  bool tools_allowed_ = true;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;
  std::map<std::string, ProcessResult> silent_;  ///< tools that gave no answer in time
};

}  // namespace dsbuild::probe
