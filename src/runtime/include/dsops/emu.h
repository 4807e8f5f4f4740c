/* Knows what an `emu` image and the emulator of GPU blocks say to each other, in plain C.
 * Does not know any kernel, nor how a GPU thread is switched (src/runtime/emu_fiber.h). */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One emulated GPU thread, as the kernel code sees it. The emulator owns it. */
typedef struct dsops_emu_thread {
  uint32_t struct_size;
  int32_t thread_index; /**< 0 to block_size - 1 */
  int32_t block_size;   /**< threads of a block */
  uint32_t reserved;    /**< 0 */
  int64_t block_index;  /**< 0 to block_count - 1 */
  int64_t block_count;  /**< blocks of the launch */
  void* state;          /**< the emulator's */
  /** Returns when each thread of the block has called it. */
  void (*barrier)(struct dsops_emu_thread* self);
  /** Gives value_bits to the threads of this group, the group_width ones around this thread (a
   * power of two), and returns what the thread numbered source_lane in the group gave. Returns when
   * each thread of the group has called it. */
  uint64_t (*exchange)(struct dsops_emu_thread* self, uint64_t value_bits, int32_t source_lane,
                       int32_t group_width);
} dsops_emu_thread;

/* An emu image exports, besides its kernels `void NAME(const ARGS*)`:
 *   void dsops_emu_enter(dsops_emu_thread* self);
 * The emulator calls it on the OS thread of the block each time before it runs or resumes `self`.
 * Shared memory of a block is thread-local storage of the image. */

/** A kernel of an emu image, and dsops_emu_enter. */
typedef void (*dsops_emu_kernel)(const void* args);
typedef void (*dsops_emu_enter_function)(dsops_emu_thread* self);

#ifdef __cplusplus
}
#endif
