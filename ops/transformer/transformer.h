// Knows: layer normalisation and bias + GELU, forward, each defined once for all targets, and what
// their kernels are given. Does not know tensors, dtypes' names, or how work is launched.
#pragma once

#include "common/math.h"

namespace dsops {

// ---- layer normalisation: one item is one row, one block of 64 threads on a GPU ----

constexpr int kLayerNormThreads = kLanes;

struct LayerNormArgs {
  const void* x;       // [rows, cols]
  const void* weight;  // [cols]
  const void* bias;    // [cols]
  void* y;             // [rows, cols]; may be x
  float* mean;         // [rows], or null
  float* rstd;         // [rows], or null
  int64_t cols;        // 1 or more
  float eps;
  float one_over_cols;
  float one_over_first;  // 1 / min(cols, 64)
};

struct LayerNormStats {
  float mean;
  float rstd;  // 1 / sqrt(variance + eps)
};

// A row is read once for its statistics, as sums of d = x - shift and of d^2 (Chan, Golub, LeVeque,
// "Algorithms for Computing the Sample Variance", 1983, section 3): lane l sums the elements l,
// l + 64, ...; sum_lanes adds up the lanes. The shift is the mean of the first 64 elements, so that
// even where those are unlike the rest, the variance loses no more to cancellation than a factor
// of 1 + cols / 64 in its relative error.
DSOPS_FN void layer_norm_add(float& sum, float& squares, float x, float shift) {
  const float d = x - shift;
  sum += d;
  squares += d * d;
}

DSOPS_FN LayerNormStats layer_norm_stats(const LayerNormArgs& args, float shift, float sum,
                                         float squares) {
  const float mean_of_d = sum * args.one_over_cols;
  const float variance = squares * args.one_over_cols - mean_of_d * mean_of_d;
  const float positive = variance < 0.0f ? 0.0f : variance;  // NaN stays
  return {shift + mean_of_d, 1.0f / sqrt_f32(positive + args.eps)};
}

DSOPS_FN float layer_norm_value(float x, const LayerNormStats& stats, float weight, float bias) {
  return (x - stats.mean) * stats.rstd * weight + bias;
}

// ---- bias + GELU (tanh form): one item is up to 1024 columns of one row ----

constexpr int kBiasGeluThreads = 256;
constexpr int kBiasGeluTile = 1024;

struct BiasGeluArgs {
  const void* x;     // [rows, cols]
  const void* bias;  // [cols]
  void* y;           // [rows, cols]; may be x
  int64_t cols;
  int64_t tiles_per_row;  // ceil(cols / kBiasGeluTile)
};

DSOPS_FN float bias_gelu_value(float x, float bias) {
  return gelu_f32(x + bias);
}

}  // namespace dsops
