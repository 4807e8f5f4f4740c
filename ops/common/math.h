// Knows: exp, tanh and gelu in float from +, -, *, / and the bits of a float: no libm, no fma, so
// every compiler and target makes the same bits. Does not know: any op, any device.
#pragma once

#include "common/device.h"

// Measured errors are against double precision libm over every float (2^32 inputs), in units in
// the last place of the exact result; the tests of ops/ measure them again on a sample.

namespace dsops {

// exp(x) = scale_low * scale_high * (1 + fraction): two scales, since 2^n alone needs an exponent
// outside of a float's at both ends.
struct ExpParts {
  float scale_low;
  float scale_high;
  float fraction;
};

// Argument reduction of Cody and Waite (Software Manual for the Elementary Functions, 1980):
// x = n ln 2 + r, |r| <= ln 2 / 2, with ln 2 in two parts, the first of 15 bits so that n times it
// is exact. exp(r) - 1 by its Taylor series to r^7 (the next term is under 0.05 ulp). n is rounded
// by adding 1.5 * 2^23, whose last bit is worth 1, and read from the bits of that sum: for a NaN n
// is of no use, and the fraction is NaN. |x| must be below 2^15, or x NaN.
DSOPS_FN ExpParts exp_parts(float x) {
  const float kRound = 12582912.0f;
  const float kLn2High = 0.693145751953125f;
  const float kLn2Low = 1.42860677e-6f;
  const float shifted = x * 1.44269504f + kRound;
  const float n = shifted - kRound;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  const int32_t exponent = static_cast<int32_t>(bits_of(shifted) - bits_of(kRound));
  const int32_t low = exponent >> 1;
  return {float_of(static_cast<uint32_t>(low + 127) << 23),
          float_of(static_cast<uint32_t>(exponent - low + 127) << 23), r + r * r * p};
}

// x within the range where exp is neither 0 nor infinity, or just outside of it; NaN stays.
DSOPS_FN float exp_range(float x) {
  x = x > 89.0f ? 89.0f : x;
  return x < -104.0f ? -104.0f : x;
}

// e^x. Error at most 1.03 ulp, subnormal results included.
DSOPS_FN float exp_f32(float x) {
  const ExpParts e = exp_parts(exp_range(x));
  return (1.0f + e.fraction) * e.scale_low * e.scale_high;
}

DSOPS_FN float abs_f32(float x) {
  return float_of(bits_of(x) & 0x7fffffffu);
}

// tanh |x| = -m / (m + 2) with m = exp(-2 |x|) - 1, which exp_parts gives with no cancellation; the
// sign is put back. Error at most 2.5 ulp.
DSOPS_FN float tanh_f32(float x) {
  const ExpParts e = exp_parts(exp_range(-2.0f * abs_f32(x)));
  const float scale = e.scale_low * e.scale_high;
  const float m = scale * e.fraction + (scale - 1.0f);
  return float_of(bits_of(-m / (m + 2.0f)) | (bits_of(x) & 0x80000000u));
}

// GELU in its tanh form (Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415):
// 0.5 x (1 + tanh u), u = sqrt(2 / pi) (x + 0.044715 x^3). Written as x / (1 + exp(-2 u)), which is
// the same function with no cancellation at negative x. Error at most 1.92 ulp for x >= 0, 7.6 ulp
// for x >= -2; below that the result itself goes to 0 as exp(2 u), and the relative error is that
// of u: 15.1 ulp at -3, 214 ulp at most. -infinity gives NaN, as the formula does.
DSOPS_FN float gelu_f32(float x) {
  const float twice_u = x * (1.59576912f + 0.0713548163f * (x * x));
  const float e = exp_f32(-abs_f32(twice_u));
  return x * (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

}  // namespace dsops
