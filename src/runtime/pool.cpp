#include "runtime/pool.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "runtime/cpu_count.h"

namespace dsops::runtime {
namespace {

std::atomic<Pool*> current{nullptr};

// The pool's threads run code of this library for ever, so a dlclose() must not unmap it.
void keep_library_loaded() {
  Dl_info here;
  if (dladdr(reinterpret_cast<void*>(&keep_library_loaded), &here) != 0) {
    dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

}  // namespace

// No lock: after fork() a lock that another thread held would stay held.
Pool& Pool::instance() {
  Pool* pool = current.load(std::memory_order_acquire);
  if (pool != nullptr && pool->process_ == getpid()) return *pool;
  auto* fresh = new Pool(pool);
  if (current.compare_exchange_strong(pool, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;
  return *pool;
}

Pool::Pool(Pool* inherited)
    : process_(getpid()), inherited_(inherited), size_(find_usable_cpus()) {}

void Pool::run(std::int64_t ranges, Body body, void* context) {
  std::unique_lock<std::mutex> busy(busy_, std::defer_lock);
  if (ranges <= 1 || size_ <= 1 || !busy.try_lock()) {
    for (std::int64_t i = 0; i < ranges; ++i) body(context, i);
    return;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  taken_.assign(static_cast<std::size_t>(ranges), 0);
  body_ = body;
  context_ = context;
  left_ = ranges;
  done_ = 0;
  start_threads(ranges - 1);
  for (std::int64_t i = 1; i < ranges && i <= threads_; ++i) posted_.notify_one();
  while (run_one(lock, 0)) {
  }
  finished_.wait(lock, [&] { return done_ == ranges; });
}

// Fewer threads than wanted are no error: the ranges run on those that there are.
void Pool::start_threads(std::int64_t wanted) {
  if (threads_ >= std::min<std::int64_t>(wanted, size_ - 1)) return;
  keep_library_loaded();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (threads_ < std::min<std::int64_t>(wanted, size_ - 1)) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, &Pool::thread_main, this) != 0) break;
    pthread_setname_np(thread, "dsops");
    pthread_detach(thread);
    ++threads_;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void* Pool::thread_main(void* pool) {
  static_cast<Pool*>(pool)->work();
  return nullptr;
}

void Pool::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::int64_t worker = ++numbered_;
  while (true) {
    posted_.wait(lock, [&] { return left_ > 0; });
    run_one(lock, worker);
  }
}

// Each thread takes the ranges of its own number first, so that over many calls it sees the same
// memory; then what others have not come to, so that one that sleeps late delays nobody.
std::int64_t Pool::take(std::int64_t worker) {
  const auto ranges = static_cast<std::int64_t>(taken_.size());
  std::int64_t range = worker;
  while (range < ranges && taken_[static_cast<std::size_t>(range)] != 0) range += size_;
  if (range >= ranges) {
    range = std::find(taken_.begin(), taken_.end(), 0) - taken_.begin();
  }
  taken_[static_cast<std::size_t>(range)] = 1;
  --left_;
  return range;
}

bool Pool::run_one(std::unique_lock<std::mutex>& lock, std::int64_t worker) {
  if (left_ == 0) return false;
  const std::int64_t range = take(worker);
  const Body body = body_;
  void* const context = context_;
  lock.unlock();
  body(context, range);
  lock.lock();
  if (++done_ == static_cast<std::int64_t>(taken_.size())) finished_.notify_one();
  return true;
}

}  // namespace dsops::runtime
