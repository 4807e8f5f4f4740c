// Knows how to run ranges on threads of its own: a small pool, made when it is first needed.
// Does not know what a range is, nor a caller's threads.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace dsops::runtime {

/// One pool per process, and another one in a child after fork(): threads don't survive that. Its
/// threads take no signals and live as long as the process.
class Pool {
 public:
  using Body = void (*)(void* context, std::int64_t range);

  static Pool& instance();

  /// Threads that can work at a time, the caller's among them; fixed when the pool was made.
  int size() const { return size_; }

  /// Runs body(context, i) once for each i in [0, ranges) and returns when all have returned. The
  /// calling thread works too. Where another thread is in here already, and where body itself calls
  /// run(), all ranges run in the calling thread: no one waits and no CPU is asked to run two
  /// threads.
  void run(std::int64_t ranges, Body body, void* context);

 private:
  explicit Pool(Pool* inherited);
  static void* thread_main(void* pool);
  void work();
  void start_threads(std::int64_t wanted);
  std::int64_t take(std::int64_t worker);
  bool run_one(std::unique_lock<std::mutex>& lock, std::int64_t worker);

  const pid_t process_;
  // The parent's, unusable here; kept so that a leak checker does not count it as lost.
  [[maybe_unused]] Pool* const inherited_;
  const int size_;
  std::mutex busy_;  // held by the thread whose job it is

  std::mutex mutex_;  // guards all below
  std::condition_variable posted_;
  std::condition_variable finished_;
  int threads_ = 0;            // made
  std::int64_t numbered_ = 0;  // of them, those that have begun
  Body body_ = nullptr;
  void* context_ = nullptr;
  std::int64_t left_ = 0;  // ranges that no thread has taken
  std::int64_t done_ = 0;
  std::vector<char> taken_;  // by range
};

}  // namespace dsops::runtime
