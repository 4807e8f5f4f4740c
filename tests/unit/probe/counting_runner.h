// A process runner that runs for real and remembers what it ran. Knows nothing of what is run.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/process.h"

namespace dsbuild::probe::tests {

class CountingRunner final : public ProcessRunner {
 public:
  ProcessResult run(const Command& command) override {
    Command shortened = command;
    {
      const std::scoped_lock lock(mutex_);
      commands_.push_back(command);
    }
    if (limit_.count() != 0) shortened.limit = limit_;
    return real_.run(shortened);
  }

  /// So that a test of a hanging tool needn't wait for the real limit.
  void shorten_limit(std::chrono::milliseconds limit) { limit_ = limit; }

  const std::vector<Command>& commands() const { return commands_; }
  std::size_t count() const { return commands_.size(); }
  void clear() { commands_.clear(); }

 private:
  PosixProcessRunner real_;
  std::mutex mutex_;
  std::vector<Command> commands_;
  std::chrono::milliseconds limit_{0};
};

}  // namespace dsbuild::probe::tests
