#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "runtime/pool.h"

using dsops::runtime::Pool;

namespace {

struct Count {
  std::vector<std::atomic<int>> runs;
  explicit Count(std::size_t ranges) : runs(ranges) {}
  static void body(void* context, std::int64_t range) {
    ++static_cast<Count*>(context)->runs[static_cast<std::size_t>(range)];
  }
  bool each_ran_once() const {
    for (const auto& n : runs) {
      if (n != 1) return false;
    }
    return true;
  }
};

bool runs_each_once(std::int64_t ranges) {
  Count count(static_cast<std::size_t>(ranges));
  Pool::instance().run(ranges, &Count::body, &count);
  return count.each_ran_once();
}

// Each of two ranges waits until the other one has begun; where there are no two threads, it hangs.
bool two_ranges_meet() {
  std::atomic<int> begun{0};
  Pool::instance().run(
      2,
      [](void* context, std::int64_t) {
        auto& started = *static_cast<std::atomic<int>*>(context);
        ++started;
        while (started < 2) std::this_thread::yield();
      },
      &begun);
  return begun == 2;
}

}  // namespace

TEST_CASE("each range runs once, for fewer and for more ranges than threads, many times over") {
  for (int round = 0; round < 2000; ++round) {
    REQUIRE(runs_each_once(round % 9));
  }
  CHECK(runs_each_once(1000));
}

TEST_CASE("ranges run on several threads at a time, if there are several CPUs") {
  if (Pool::instance().size() == 1) {
    WARN("skipped: this process may use one CPU only");
    return;
  }
  CHECK(two_ranges_meet());
}

TEST_CASE("run() inside a body runs all its ranges, without waiting for itself") {
  std::atomic<int> inner{0};
  Pool::instance().run(
      4,
      [](void* context, std::int64_t) {
        Pool::instance().run(
            3, [](void* counter, std::int64_t) { ++*static_cast<std::atomic<int>*>(counter); },
            context);
      },
      &inner);
  CHECK(inner == 12);
}

TEST_CASE("many threads use the pool at once") {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 300; ++round) failures += runs_each_once(5) ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
}

TEST_CASE("a child after fork has threads of its own, though the parent's are not there") {
  REQUIRE(runs_each_once(4));
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a child that hangs is a failure
    bool good = true;
    for (int round = 0; round < 50; ++round) good = good && runs_each_once(4);
    if (Pool::instance().size() > 1) good = good && two_ranges_meet();
    _exit(good ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(runs_each_once(4));
}

TEST_CASE("the pool works in a child forked while another thread is inside run()") {
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) runs_each_once(8);
  });
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(runs_each_once(4) ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
  }
  stop = true;
  busy.join();
}

TEST_CASE("the pool's threads take no signals: those are the program's own threads' to handle") {
  struct Masks {
    std::mutex mutex;
    pthread_t caller = pthread_self();
    std::set<bool> blocked;
  } masks;
  // Several ranges that wait for each other, so that other threads than this one take part.
  for (int round = 0; round < 50; ++round) {
    Pool::instance().run(
        16,
        [](void* context, std::int64_t) {
          auto& m = *static_cast<Masks*>(context);
          if (pthread_equal(pthread_self(), m.caller)) {
            usleep(100);
            return;
          }
          sigset_t now;
          pthread_sigmask(SIG_SETMASK, nullptr, &now);
          const std::scoped_lock lock(m.mutex);
          m.blocked.insert(sigismember(&now, SIGINT) == 1 && sigismember(&now, SIGTERM) == 1);
        },
        &masks);
  }
  CHECK(masks.blocked.count(false) == 0);
  if (Pool::instance().size() > 1) CHECK(masks.blocked.count(true) == 1);
}
