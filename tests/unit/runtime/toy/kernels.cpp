// The toy op's CPU kernels, compiled once per level with TOY_LEVEL.
#include "toy.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

#ifdef DSOPS_IMAGE_FEATURES
EXPORT const char dsops_image_features[] = DSOPS_IMAGE_FEATURES;
#endif

EXPORT void toy_axpy(const AxpyArgs* args, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) args->y[i] = args->y[i] + args->alpha * args->x[i];
}

EXPORT void toy_level(const OutArgs* args, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) args->out[i] = TOY_LEVEL;
}

EXPORT void toy_subnormal(const OutArgs* args, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    volatile float smallest_normal = 1.17549435e-38F;
    args->out[i] = smallest_normal * 0.5F;
  }
}
