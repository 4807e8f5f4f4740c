// The toy op's kernels for emu: what a GPU kernel is when it is compiled for the host.
#include <dsops/emu.h>

#include "toy.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

static thread_local dsops_emu_thread* self = nullptr;

EXPORT void dsops_emu_enter(dsops_emu_thread* thread) {
  self = thread;
}

static std::int64_t item() {
  return self->block_index * self->block_size + self->thread_index;
}

EXPORT void toy_axpy(const AxpyArgs* args) {
  const std::int64_t i = item();
  if (i < args->items) args->y[i] = args->y[i] + args->alpha * args->x[i];
}

EXPORT void toy_level(const OutArgs* args) {
  const std::int64_t i = item();
  if (i < args->items) args->out[i] = 1000;
}

EXPORT void toy_subnormal(const OutArgs* args) {
  volatile float smallest_normal = 1.17549435e-38F;
  const std::int64_t i = item();
  if (i < args->items) args->out[i] = smallest_normal * 0.5F;
}

EXPORT void toy_stall(const OutArgs*) {
  if (self->thread_index == 0) self->barrier(self);
}
