// Knows: one step of Adam and AdamW, defined once for cpu_adam and fused_adam on all targets, and
// what their kernels are given. Does not know tensors, hyper-parameters' checks (adam_host.h), or
// how work is launched.
#pragma once

#include "common/math.h"

namespace dsops {

// One item is a chunk of one tensor, one block on a GPU: 112 KiB of memory traffic.
constexpr int kAdamChunk = 4096;
constexpr int kAdamThreads = 256;

// Tensors of one launch. The arguments of a kernel must stay under 4 KiB.
constexpr int kAdamTensors = 80;

struct AdamTensor {
  float* param;
  const float* grad;
  float* exp_avg;
  float* exp_avg_sq;
  int64_t numel;
  int64_t first_item;  // items of the tensors before this one
};

enum class AdamDecay : int32_t { none, decoupled, l2 };

// The numbers of a step, from adam_host.h, each rounded once from double.
struct AdamNumbers {
  float grad_factor;  // 1 / grad_scale
  float beta1;
  float beta2;
  float one_minus_beta1;
  float one_minus_beta2;
  float step_size;        // lr / (1 - beta1^t)
  float root_correction;  // 1 / sqrt(1 - beta2^t)
  float eps;
  float decay_factor;  // lr * weight_decay if decoupled, weight_decay if L2
};

struct AdamArgs {
  int32_t tensor_count;
  AdamDecay decay;
  AdamNumbers numbers;
  AdamTensor tensors[kAdamTensors];
};
static_assert(sizeof(AdamArgs) <= 4096, "the arguments of a kernel");

struct AdamValues {
  float param;
  float exp_avg;
  float exp_avg_sq;
};

// Adam (Kingma and Ba, https://arxiv.org/abs/1412.6980), with eps outside of the corrected root as
// in PyTorch; decoupled decay is AdamW (Loshchilov and Hutter, https://arxiv.org/abs/1711.05101).
// The decay is part of the update before it meets the parameter: one rounding, and no bias from
// rounding 1 - lr * weight_decay to a float.
template <AdamDecay kDecay>
DSOPS_FN AdamValues adam_value(const AdamNumbers& numbers, float param, float grad, float exp_avg,
                               float exp_avg_sq) {
  grad *= numbers.grad_factor;
  if (kDecay == AdamDecay::l2) grad += numbers.decay_factor * param;
  const float m = numbers.beta1 * exp_avg + numbers.one_minus_beta1 * grad;
  const float v = numbers.beta2 * exp_avg_sq + numbers.one_minus_beta2 * (grad * grad);
  float update = numbers.step_size * (m / (sqrt_f32(v) * numbers.root_correction + numbers.eps));
  if (kDecay == AdamDecay::decoupled) update += numbers.decay_factor * param;
  return {param - update, m, v};
}

DSOPS_FN int64_t adam_items(int64_t numel) {
  return (numel + kAdamChunk - 1) / kAdamChunk;
}

// The part of one tensor that an item is.
struct AdamPart {
  AdamTensor tensor;
  int64_t begin;
  int64_t end;
};

DSOPS_FN AdamPart adam_part(const AdamArgs& args, int64_t item) {
  int index = 0;
  int past = args.tensor_count;
  while (past - index > 1) {
    const int middle = (index + past) / 2;
    (args.tensors[middle].first_item <= item ? index : past) = middle;
  }
  const AdamTensor& tensor = args.tensors[index];
  const int64_t begin = (item - tensor.first_item) * kAdamChunk;
  const int64_t left = tensor.numel - begin;
  return {tensor, begin, begin + (left < kAdamChunk ? left : kAdamChunk)};
}

}  // namespace dsops
