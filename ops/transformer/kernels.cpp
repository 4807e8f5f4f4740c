// CPU kernels of `transformer`: plain loops over 64 lanes and over columns, for the vectoriser.
#include "transformer/transformer.h"

namespace dsops {
namespace {

template <typename T>
void layer_norm_row(const LayerNormArgs& args, int64_t row) {
  const int64_t cols = args.cols;  // a store to y may be to args, as far as a compiler knows
  const T* x = static_cast<const T*>(args.x) + row * cols;
  const T* weight = static_cast<const T*>(args.weight);
  const T* bias = static_cast<const T*>(args.bias);
  T* y = static_cast<T*>(args.y) + row * cols;

  float lanes[kLanes] = {};
  const int64_t first = cols < kLanes ? cols : kLanes;
  for (int64_t i = 0; i < first; ++i) lanes[i] = load(x + i);
  const float shift = sum_lanes(lanes) * args.one_over_first;

  float sums[kLanes] = {};
  float squares[kLanes] = {};
  const int64_t whole = cols / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      layer_norm_add(sums[lane], squares[lane], load(x + i + lane), shift);
    }
  }
  for (int64_t i = whole; i < cols; ++i) {
    layer_norm_add(sums[i - whole], squares[i - whole], load(x + i), shift);
  }
  const LayerNormStats stats = layer_norm_stats(args, shift, sum_lanes(sums), sum_lanes(squares));

  if (args.mean) store(args.mean + row, stats.mean);
  if (args.rstd) store(args.rstd + row, stats.rstd);
  DSOPS_INDEPENDENT
  for (int64_t i = 0; i < cols; ++i) {
    store(y + i, layer_norm_value(load(x + i), stats, load(weight + i), load(bias + i)));
  }
}

template <typename T>
void layer_norm_rows(const LayerNormArgs& args, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) layer_norm_row<T>(args, row);
}

template <typename T>
void bias_gelu_tiles(const BiasGeluArgs& args, int64_t begin, int64_t end) {
  for (int64_t tile = begin; tile < end; ++tile) {
    const int64_t row = tile / args.tiles_per_row;
    const int64_t from = tile % args.tiles_per_row * kBiasGeluTile;
    const int64_t left = args.cols - from;
    const int64_t count = left < kBiasGeluTile ? left : kBiasGeluTile;
    const T* x = static_cast<const T*>(args.x) + row * args.cols + from;
    const T* bias = static_cast<const T*>(args.bias) + from;
    T* y = static_cast<T*>(args.y) + row * args.cols + from;
    DSOPS_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) store(y + i, bias_gelu_value(load(x + i), load(bias + i)));
  }
}

}  // namespace

DSOPS_CPU_KERNEL(layer_norm_fp32, LayerNormArgs) {
  layer_norm_rows<float>(args, begin, end);
}
DSOPS_CPU_KERNEL(layer_norm_bf16, LayerNormArgs) {
  layer_norm_rows<bf16>(args, begin, end);
}
DSOPS_CPU_KERNEL(layer_norm_fp16, LayerNormArgs) {
  layer_norm_rows<fp16>(args, begin, end);
}

DSOPS_CPU_KERNEL(bias_gelu_fp32, BiasGeluArgs) {
  bias_gelu_tiles<float>(args, begin, end);
}
DSOPS_CPU_KERNEL(bias_gelu_bf16, BiasGeluArgs) {
  bias_gelu_tiles<bf16>(args, begin, end);
}
DSOPS_CPU_KERNEL(bias_gelu_fp16, BiasGeluArgs) {
  bias_gelu_tiles<fp16>(args, begin, end);
}

}  // namespace dsops
