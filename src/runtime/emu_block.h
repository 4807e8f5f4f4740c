// Knows how to run one block of a GPU kernel on one OS thread: its threads as fibers, its barriers
// and exchanges. Does not know images, libraries, backends, or how blocks are spread over threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dsops/emu.h"
#include "runtime/emu_fiber.h"

namespace dsops::runtime {

/// What all blocks of a launch share.
struct EmuLaunch {
  dsops_emu_kernel kernel = nullptr;
  dsops_emu_enter_function enter = nullptr;  ///< dsops_emu_enter of the kernel's image
  const void* args = nullptr;                ///< the kernel's argument struct
  std::int64_t block_count = 0;
  std::int32_t block_size = 0;  ///< threads per block, 1 or more
};

/// Runs blocks one after the other; an OS thread that runs blocks has one of these. It keeps the
/// stacks from block to block (64 KiB of address space per GPU thread, of which a kernel touches a
/// page or two). Threads run in the order of their numbers, each until it ends or waits, so a run
/// is the same each time.
class EmuBlock {
 public:
  EmuBlock();
  ~EmuBlock();

  /// Runs a block to its end. Returns an empty string, or what is wrong: no memory for the stacks,
  /// or threads of the block that wait for each other for ever (a barrier or an exchange that not
  /// all of them reach), which a GPU would hang on or leave undefined.
  std::string run(const EmuLaunch& launch, std::int64_t block_index);

 private:
  struct Thread;
  static void thread_main(void* thread);
  static void barrier(dsops_emu_thread* self);
  static std::uint64_t exchange(dsops_emu_thread* self, std::uint64_t value_bits,
                                std::int32_t source_lane, std::int32_t group_width);
  bool make_threads(std::int32_t count);
  void run_ready(const EmuLaunch& launch);
  bool release_barrier();
  bool release_exchanges();
  std::string describe_stall(std::int64_t block_index) const;

  std::unique_ptr<Thread[]> threads_;
  std::int32_t capacity_ = 0;
  std::int32_t count_ = 0;  // threads of the block that runs
};

}  // namespace dsops::runtime
