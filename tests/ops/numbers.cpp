// The functions of ops/common over arrays, compiled as a CPU image is, for test_numbers.py.
#include "common/math.h"

using namespace dsops;

#define DSOPS_OVER_ARRAY(name, In, Out, value)                    \
  DSOPS_EXPORT void name(const In* in, Out* out, int64_t count) { \
    DSOPS_INDEPENDENT                                             \
    for (int64_t i = 0; i < count; ++i) {                         \
      const In x = in[i];                                         \
      out[i] = value;                                             \
    }                                                             \
  }

DSOPS_OVER_ARRAY(float_to_fp16, float, fp16, to_fp16(x))
DSOPS_OVER_ARRAY(float_to_bf16, float, bf16, to_bf16(x))
DSOPS_OVER_ARRAY(fp16_to_float, fp16, float, to_float(x))
DSOPS_OVER_ARRAY(bf16_to_float, bf16, float, to_float(x))
DSOPS_OVER_ARRAY(float_canonical, float, float, canonical(x))
DSOPS_OVER_ARRAY(float_sqrt, float, float, sqrt_f32(x))
DSOPS_OVER_ARRAY(float_exp, float, float, exp_f32(x))
DSOPS_OVER_ARRAY(float_tanh, float, float, tanh_f32(x))
DSOPS_OVER_ARRAY(float_gelu, float, float, gelu_f32(x))
