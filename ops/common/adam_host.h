// Knows: the host side of Adam, for cpu_adam and fused_adam: its arguments, their checks, and the
// launches. Does not know the formula (adam.h), nor which accelerator runs it.
#pragma once

#include <initializer_list>

#include "common/adam.h"
#include "dsops/op.h"

namespace dsops {

enum AdamArgument {
  kParams,
  kGrads,
  kExpAvgs,
  kExpAvgSqs,
  kStep,
  kLr,
  kBeta1,
  kBeta2,
  kEps,
  kWeightDecay,
  kAdamw,
  kBiasCorrection,
  kGradScale
};

// A row for each AdamArgument, in that order.
inline constexpr dsops_argument kAdamArguments[] = {
    tensor_list("params", DSOPS_INOUT, DSOPS_F32, "any", "parameters, updated in place"),
    tensor_list("grads", DSOPS_IN, DSOPS_F32, "as params", "gradients"),
    tensor_list("exp_avgs", DSOPS_INOUT, DSOPS_F32, "as params", "first moments, 0 before step 1"),
    tensor_list("exp_avg_sqs", DSOPS_INOUT, DSOPS_F32, "as params",
                "second moments, 0 before step 1"),
    integer("step", "number of this step, from 1; the call keeps no state"),
    real("lr", "learning rate", value(1e-3)),
    real("beta1", "decay of the first moment", value(0.9)),
    real("beta2", "decay of the second moment", value(0.999)),
    real("eps", "added to the corrected root of the second moment", value(1e-8)),
    real("weight_decay", "weight decay", value(0.0)),
    boolean("adamw", "decoupled weight decay (AdamW); else L2, added to the gradient", value(true)),
    boolean("bias_correction", "correct both moments for their start at 0", value(true)),
    real("grad_scale", "gradients are divided by this first", value(1.0)),
};

// What a number must be, beyond finite, which the runtime has checked.
struct AdamRange {
  AdamArgument argument;
  double low, high;  // both allowed
  const char* expected;
};
inline constexpr AdamRange kAdamRanges[] = {
    {kLr, 0, 1e30, "from 0 to 1e30"},
    {kBeta1, 0, 1 - 1e-12, "from 0 to just below 1"},
    {kBeta2, 0, 1 - 1e-12, "from 0 to just below 1"},
    {kEps, 0, 1e30, "from 0 to 1e30"},
    {kWeightDecay, 0, 1e30, "from 0 to 1e30"},
    {kGradScale, 1e-30, 1e30, "from 1e-30 to 1e30"},
};

// base^exponent by squaring, exponent >= 0: no libm in an op library. Its relative error is under
// 2^-52 (exponent + 1); where that is large, base^exponent is nothing beside 1.
inline double integer_power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return result;
}

// The numbers of a step from its checked arguments, in double and rounded once.
inline AdamNumbers adam_numbers(const dsops_value* args) {
  const double lr = args[kLr].as.f64;
  const double beta1 = args[kBeta1].as.f64;
  const double beta2 = args[kBeta2].as.f64;
  const double weight_decay = args[kWeightDecay].as.f64;
  const bool correct = args[kBiasCorrection].as.i64 != 0;
  const double correction1 = correct ? 1 - integer_power(beta1, args[kStep].as.i64) : 1;
  const double correction2 = correct ? 1 - integer_power(beta2, args[kStep].as.i64) : 1;
  const auto rounded = [](double x) { return static_cast<float>(x); };
  return {rounded(1 / args[kGradScale].as.f64),
          rounded(beta1),
          rounded(beta2),
          rounded(1 - beta1),
          rounded(1 - beta2),
          rounded(lr / correction1),
          rounded(1 / __builtin_sqrt(correction2)),
          rounded(args[kEps].as.f64),
          rounded(args[kAdamw].as.i64 != 0 ? lr * weight_decay : weight_decay)};
}

inline std::int32_t adam_check(const dsops_exec* exec, const dsops_value* args) {
  if (args[kStep].as.i64 < 1) {
    return DSOPS_FAIL(exec, DSOPS_INVALID, "argument `step`: expected 1 or more, got %lld",
                      static_cast<long long>(args[kStep].as.i64));
  }
  for (const AdamRange& range : kAdamRanges) {
    const double got = args[range.argument].as.f64;
    if (got >= range.low && got <= range.high) continue;
    return DSOPS_FAIL(exec, DSOPS_INVALID, "argument `%s`: expected a number %s, got %g",
                      kAdamArguments[range.argument].name, range.expected, got);
  }
  const dsops_tensor_list& params = *args[kParams].as.list;
  for (const AdamArgument argument : {kGrads, kExpAvgs, kExpAvgSqs}) {
    const dsops_tensor_list& list = *args[argument].as.list;
    const char* name = kAdamArguments[argument].name;
    if (list.count != params.count) {
      return DSOPS_FAIL(exec, DSOPS_INVALID,
                        "argument `%s`: expected %lld tensors, as in `params`, got %lld", name,
                        static_cast<long long>(params.count), static_cast<long long>(list.count));
    }
    for (std::int64_t i = 0; i < list.count; ++i) {
      const std::int64_t expected = numel(*params.tensors[i]);
      const std::int64_t got = numel(*list.tensors[i]);
      if (got == expected) continue;
      return DSOPS_FAIL(
          exec, DSOPS_INVALID,
          "argument `%s[%lld]`: expected %lld elements, as in `params[%lld]`, got %lld", name,
          static_cast<long long>(i), static_cast<long long>(expected), static_cast<long long>(i),
          static_cast<long long>(got));
    }
  }
  return DSOPS_OK;
}

// One launch for each kAdamTensors tensors that have elements.
inline std::int32_t adam_call(const dsops_exec* exec, const dsops_value* args) {
  constexpr std::int64_t kGrain = 4;  // chunks worth a thread of their own: 448 KiB of traffic
  if (const std::int32_t status = adam_check(exec, args)) return status;
  AdamArgs packed = {};
  packed.numbers = adam_numbers(args);
  packed.decay = args[kWeightDecay].as.f64 == 0 ? AdamDecay::none
                 : args[kAdamw].as.i64 != 0     ? AdamDecay::decoupled
                                                : AdamDecay::l2;
  std::int64_t items = 0;
  const dsops_tensor_list& params = *args[kParams].as.list;
  for (std::int64_t i = 0; i < params.count; ++i) {
    const auto at = [&](AdamArgument list) -> const DLTensor& {
      return *args[list].as.list->tensors[i];
    };
    const std::int64_t count = numel(at(kParams));
    if (count > 0) {
      packed.tensors[packed.tensor_count++] = {data<float>(at(kParams)),
                                               data<float>(at(kGrads)),
                                               data<float>(at(kExpAvgs)),
                                               data<float>(at(kExpAvgSqs)),
                                               count,
                                               items};
      items += adam_items(count);
    }
    const bool last = i + 1 == params.count;
    if (packed.tensor_count < kAdamTensors && !last) continue;
    if (const std::int32_t status =
            launch(exec, "adam_fp32", packed, items, 1, kAdamThreads, kGrain)) {
      return status;
    }
    packed.tensor_count = 0;
    items = 0;
  }
  return DSOPS_OK;
}

inline constexpr dsops_function kAdamFunctions[] = {function(
    "adam",
    "One step of Adam or AdamW over all tensors.\n"
    "g = grad / grad_scale (+ weight_decay * param if not adamw)\n"
    "exp_avg = beta1 * exp_avg + (1 - beta1) * g; exp_avg_sq = beta2 * exp_avg_sq + (1 - beta2) "
    "* g^2\n"
    "param -= lr / (1 - beta1^step) * exp_avg / (sqrt(exp_avg_sq / (1 - beta2^step)) + eps) "
    "(+ lr * weight_decay * param if adamw)\n"
    "The same bits on every CPU level, thread count and GPU; a NaN is stored as 7fc00000.",
    kAdamArguments, adam_call)};

}  // namespace dsops
