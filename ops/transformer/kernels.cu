// GPU kernels of `transformer`: one block per item.
#include "transformer/transformer.h"

namespace dsops {

template <typename T>
DSOPS_FN void layer_norm_block(const LayerNormArgs& args) {
  const int lane = thread_id();
  const int64_t row = block_id();
  const T* x = static_cast<const T*>(args.x) + row * args.cols;
  const T* weight = static_cast<const T*>(args.weight);
  const T* bias = static_cast<const T*>(args.bias);
  T* y = static_cast<T*>(args.y) + row * args.cols;

  const float shift = sum_lanes(lane < args.cols ? load(x + lane) : 0.0f) * args.one_over_first;
  float sum = 0.0f;
  float squares = 0.0f;
  DSOPS_UNROLL
  for (int64_t i = lane; i < args.cols; i += kLanes) {
    layer_norm_add(sum, squares, load(x + i), shift);
  }
  const LayerNormStats stats = layer_norm_stats(args, shift, sum_lanes(sum), sum_lanes(squares));

  if (lane == 0 && args.mean) store(args.mean + row, stats.mean);
  if (lane == 0 && args.rstd) store(args.rstd + row, stats.rstd);
  each_element<kLanes>(
      lane, args.cols,
      [&](int64_t i) {
        return layer_norm_value(load(x + i), stats, load(weight + i), load(bias + i));
      },
      [&](int64_t i, float value) { store(y + i, value); });
}

template <typename T>
DSOPS_FN void bias_gelu_block(const BiasGeluArgs& args) {
  // A grid has under 2^31 blocks; 64-bit division is slow on a GPU.
  const auto tile = static_cast<uint32_t>(block_id());
  const auto tiles_per_row = static_cast<uint32_t>(args.tiles_per_row);
  const int64_t row = tile / tiles_per_row;
  const int64_t from = static_cast<int64_t>(tile % tiles_per_row) * kBiasGeluTile;
  const int64_t left = args.cols - from;
  const T* x = static_cast<const T*>(args.x) + row * args.cols + from;
  const T* bias = static_cast<const T*>(args.bias) + from;
  T* y = static_cast<T*>(args.y) + row * args.cols + from;
  each_element<kBiasGeluThreads>(
      thread_id(), left < kBiasGeluTile ? left : kBiasGeluTile,
      [&](int64_t i) { return bias_gelu_value(load(x + i), load(bias + i)); },
      [&](int64_t i, float value) { store(y + i, value); });
}

DSOPS_KERNEL(layer_norm_fp32, LayerNormArgs, kLayerNormThreads) {
  layer_norm_block<float>(args);
}
DSOPS_KERNEL(layer_norm_bf16, LayerNormArgs, kLayerNormThreads) {
  layer_norm_block<bf16>(args);
}
DSOPS_KERNEL(layer_norm_fp16, LayerNormArgs, kLayerNormThreads) {
  layer_norm_block<fp16>(args);
}

DSOPS_KERNEL(bias_gelu_fp32, BiasGeluArgs, kBiasGeluThreads) {
  bias_gelu_block<float>(args);
}
DSOPS_KERNEL(bias_gelu_bf16, BiasGeluArgs, kBiasGeluThreads) {
  bias_gelu_block<bf16>(args);
}
DSOPS_KERNEL(bias_gelu_fp16, BiasGeluArgs, kBiasGeluThreads) {
  bias_gelu_block<fp16>(args);
}

}  // namespace dsops
