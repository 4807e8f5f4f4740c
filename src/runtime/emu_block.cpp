#include "runtime/emu_block.h"

#include <algorithm>

namespace dsops::runtime {

constexpr std::size_t kStackBytes = 64 * 1024;

struct EmuBlock::Thread {
  enum class Wait { none, barrier, exchange };

  dsops_emu_thread view;
  Fiber fiber;
  const EmuLaunch* launch;
  Wait wait;
  // The last exchange that it came to.
  std::uint64_t given;
  std::uint64_t got;
  std::int32_t source;
  std::int32_t width;
};

EmuBlock::EmuBlock() = default;
EmuBlock::~EmuBlock() = default;

void EmuBlock::thread_main(void* thread) {
  const EmuLaunch& launch = *static_cast<Thread*>(thread)->launch;
  launch.kernel(launch.args);
}

void EmuBlock::barrier(dsops_emu_thread* self) {
  auto* thread = static_cast<Thread*>(self->state);
  thread->wait = Thread::Wait::barrier;
  thread->fiber.suspend();
}

std::uint64_t EmuBlock::exchange(dsops_emu_thread* self, std::uint64_t value_bits,
                                 std::int32_t source_lane, std::int32_t group_width) {
  auto* thread = static_cast<Thread*>(self->state);
  thread->wait = Thread::Wait::exchange;
  thread->given = value_bits;
  thread->source = source_lane;
  thread->width = group_width;
  thread->fiber.suspend();
  return thread->got;
}

bool EmuBlock::make_threads(std::int32_t count) {
  count_ = count;
  if (count <= capacity_) return true;
  threads_ = std::make_unique<Thread[]>(static_cast<std::size_t>(count));
  capacity_ = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    if (!threads_[i].fiber.make_stack(kStackBytes)) return false;
  }
  capacity_ = count;
  return true;
}

std::string EmuBlock::run(const EmuLaunch& launch, std::int64_t block_index) {
  if (!make_threads(launch.block_size)) {
    return "no memory for the stacks of " + std::to_string(launch.block_size) + " threads";
  }
  for (std::int32_t i = 0; i < count_; ++i) {
    Thread& thread = threads_[i];
    thread.view = {sizeof(dsops_emu_thread),
                   i,
                   launch.block_size,
                   0,
                   block_index,
                   launch.block_count,
                   &thread,
                   &EmuBlock::barrier,
                   &EmuBlock::exchange};
    thread.launch = &launch;
    thread.wait = Thread::Wait::none;
    thread.fiber.start(&EmuBlock::thread_main, &thread);
  }
  do {
    run_ready(launch);
  } while (release_barrier() || release_exchanges());
  return describe_stall(block_index);
}

// Each thread that does not wait goes on until it ends or waits.
void EmuBlock::run_ready(const EmuLaunch& launch) {
  for (std::int32_t i = 0; i < count_; ++i) {
    Thread& thread = threads_[i];
    if (thread.wait != Thread::Wait::none || thread.fiber.done()) continue;
    launch.enter(&thread.view);
    thread.fiber.resume();
  }
}

bool EmuBlock::release_barrier() {
  const auto waits = [](const Thread& thread) { return thread.wait == Thread::Wait::barrier; };
  if (!std::all_of(&threads_[0], &threads_[count_], waits)) return false;
  std::for_each(&threads_[0], &threads_[count_],
                [](Thread& thread) { thread.wait = Thread::Wait::none; });
  return true;
}

// Serves each group whose threads all wait in an exchange of the same width.
bool EmuBlock::release_exchanges() {
  bool released = false;
  for (std::int32_t first = 0; first < count_; ++first) {
    const std::int32_t width = threads_[first].width;
    if (threads_[first].wait != Thread::Wait::exchange || first % width != 0) continue;
    Thread* const begin = &threads_[first];
    Thread* const end = begin + std::min(width, count_ - first);
    const auto complete = [&](const Thread& thread) {
      return thread.wait == Thread::Wait::exchange && thread.width == width && thread.source >= 0 &&
             thread.source < end - begin;
    };
    if (!std::all_of(begin, end, complete)) continue;
    for (Thread* thread = begin; thread != end; ++thread) {
      thread->got = begin[thread->source].given;
      thread->wait = Thread::Wait::none;
    }
    released = true;
  }
  return released;
}

// Called when nothing can go on: all have ended, or the kernel is wrong.
std::string EmuBlock::describe_stall(std::int64_t block_index) const {
  std::int32_t ended = 0, at_barrier = 0, in_exchange = 0;
  for (std::int32_t i = 0; i < count_; ++i) {
    ended += threads_[i].fiber.done();
    at_barrier += threads_[i].wait == Thread::Wait::barrier;
    in_exchange += threads_[i].wait == Thread::Wait::exchange;
  }
  if (ended == count_) return "";
  return "block " + std::to_string(block_index) + ": of " + std::to_string(count_) + " threads " +
         std::to_string(at_barrier) + " wait at a barrier, " + std::to_string(in_exchange) +
         " wait in an exchange, " + std::to_string(ended) +
         " have ended; every thread of the block (or of the group) must come to the same one";
}

}  // namespace dsops::runtime
