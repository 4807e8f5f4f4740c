#include <catch2/catch.hpp>

#include <condition_variable>
#include <map>
#include <mutex>

#include "machines/machines.h"
#include "unit/probe/support.h"

namespace dsbuild::probe::tests {
namespace {

constexpr int kHung = 8;

/// Tools that all hang: each call ends, without an answer, when as many hang at once as there are
/// tools. One that is only started when another's time is over would wait for the whole patience.
class HungRunner : public ProcessRunner {
 public:
  ProcessResult run(const Command& command) override {
    std::unique_lock lock(mutex_);
    ++calls[command.argv.front()];
    ++hanging_;
    changed_.notify_all();
    all_at_once =
        changed_.wait_for(lock, std::chrono::seconds(20), [this] { return hanging_ >= kHung; });
    ProcessResult result;
    result.timed_out = true;
    return result;
  }

  std::map<std::string, int> calls;
  bool all_at_once = false;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int hanging_ = 0;
};

TEST_CASE("eight tools that hang cost the time of one, and none is asked twice") {
  FakeRoot root;
  machines::add_host(root);
  for (const char* tool :
       {"g++", "clang++", "clang++-19", "nvcc", "icpx", "bisheng", "cncc", "ninja"})
    machines::add_printing_tool(root, std::string("/usr/bin/") + tool, "never seen");
  HungRunner runner;
  ProbeOptions options;
  options.same_host = false;
  const Machine machine = probe_machine(root.system(), runner, built_in_catalog(), options);
  CHECK(runner.all_at_once);
  CHECK(runner.calls.size() == kHung);
  for (const auto& [tool, calls] : runner.calls) {
    INFO(tool);
    CHECK(calls == 1);
  }
  for (const char* kind : {"gcc", "nvcc", "icpx"})
    CHECK(only(machine, kind).state != ToolchainState::complete);
  CHECK_FALSE(machine.find_tool("ninja")->path);
}

}  // namespace
}  // namespace dsbuild::probe::tests
