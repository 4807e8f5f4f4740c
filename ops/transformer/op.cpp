// `transformer`: parts of a transformer layer; layer normalisation and bias + GELU, forward.
#include <initializer_list>

#include "dsops/op.h"
#include "transformer/transformer.h"

namespace dsops {
namespace {

constexpr std::uint64_t kFloats = DSOPS_F32 | DSOPS_BF16 | DSOPS_F16;

// A function's kernels, one for each element type.
struct Kernels {
  const char *fp32, *bf16, *fp16;

  const char* of(DLDataType dtype) const {
    return dtype.bits == 32 ? fp32 : dtype.code == DSOPS_CODE_BFLOAT ? bf16 : fp16;
  }
};
constexpr Kernels kLayerNorm = {"layer_norm_fp32", "layer_norm_bf16", "layer_norm_fp16"};
constexpr Kernels kBiasGelu = {"bias_gelu_fp32", "bias_gelu_bf16", "bias_gelu_fp16"};

std::int64_t columns(const DLTensor& x) {
  return x.ndim > 0 ? x.shape[x.ndim - 1] : 0;
}

std::int32_t check_count(const dsops_exec* exec, const char* name, const DLTensor& tensor,
                         std::int64_t expected, const char* rule) {
  if (numel(tensor) == expected) return DSOPS_OK;
  return DSOPS_FAIL(exec, DSOPS_INVALID, "argument `%s`: expected %lld elements, %s, got %lld",
                    name, static_cast<long long>(expected), rule,
                    static_cast<long long>(numel(tensor)));
}

std::int32_t check_dtype(const dsops_exec* exec, const char* name, const DLTensor& tensor,
                         const DLTensor& x) {
  if (same_dtype(tensor, x)) return DSOPS_OK;
  return DSOPS_FAIL(exec, DSOPS_INVALID, "argument `%s`: expected %s, as `x`, got %s", name,
                    dtype_name(x.dtype), dtype_name(tensor.dtype));
}

// x has columns; y is like x, and weight (if any) and bias are like one row of it.
std::int32_t check_row_op(const dsops_exec* exec, const DLTensor& x, const DLTensor* weight,
                          const DLTensor& bias, const DLTensor& y) {
  const std::int64_t cols = columns(x);
  if (cols < 1) {
    return DSOPS_FAIL(exec, DSOPS_INVALID,
                      "argument `x`: expected a last dimension of 1 or more, got %lld of %d "
                      "dimensions",
                      static_cast<long long>(cols), x.ndim);
  }
  const char* row = "the last dimension of `x`";
  std::int32_t status = DSOPS_OK;
  if (weight != nullptr) {
    if ((status = check_dtype(exec, "weight", *weight, x))) return status;
    if ((status = check_count(exec, "weight", *weight, cols, row))) return status;
  }
  if ((status = check_dtype(exec, "bias", bias, x))) return status;
  if ((status = check_count(exec, "bias", bias, cols, row))) return status;
  if ((status = check_dtype(exec, "y", y, x))) return status;
  return check_count(exec, "y", y, numel(x), "as `x`");
}

// Items worth a thread of their own, if one takes `elements`: about 10 microseconds.
std::int64_t grain(std::int64_t elements) {
  return 1 + 16384 / elements;
}

// ---- layer_norm ----

enum { kNormX, kNormWeight, kNormBias, kNormY, kNormMean, kNormRstd, kNormEps };

constexpr dsops_argument kLayerNormArguments[] = {
    tensor("x", DSOPS_IN, kFloats, "[..., cols]", "input"),
    tensor("weight", DSOPS_IN, kFloats, "[cols]", "scale; dtype of x"),
    tensor("bias", DSOPS_IN, kFloats, "[cols]", "shift; dtype of x"),
    tensor("y", DSOPS_OUT, kFloats, "as x", "output; may be x itself", DSOPS_ARG_MAY_ALIAS),
    tensor("mean", DSOPS_OUT, DSOPS_F32, "[rows]", "mean of each row", DSOPS_ARG_OPTIONAL),
    tensor("rstd", DSOPS_OUT, DSOPS_F32, "[rows]", "1 / sqrt(variance + eps) of each row",
           DSOPS_ARG_OPTIONAL),
    real("eps", "added to the variance", value(1e-5)),
};

std::int32_t layer_norm(const dsops_exec* exec, const dsops_value* args) {
  const DLTensor& x = *args[kNormX].as.tensor;
  const DLTensor& weight = *args[kNormWeight].as.tensor;
  const DLTensor& bias = *args[kNormBias].as.tensor;
  const DLTensor& y = *args[kNormY].as.tensor;
  const double eps = args[kNormEps].as.f64;
  if (const std::int32_t status = check_row_op(exec, x, &weight, bias, y)) return status;
  if (!(eps >= 0 && eps <= 1e30)) {
    return DSOPS_FAIL(exec, DSOPS_INVALID,
                      "argument `eps`: expected a number from 0 to 1e30, got %g", eps);
  }
  const std::int64_t cols = columns(x);
  const std::int64_t rows = numel(x) / cols;
  float* statistics[2] = {};
  for (const int i : {0, 1}) {
    if (args[kNormMean + i].kind == DSOPS_NONE) continue;
    const DLTensor& tensor = *args[kNormMean + i].as.tensor;
    const char* name = kLayerNormArguments[kNormMean + i].name;
    if (const std::int32_t status =
            check_count(exec, name, tensor, rows, "one for each row of `x`")) {
      return status;
    }
    statistics[i] = data<float>(tensor);
  }
  const double first = static_cast<double>(cols < kLanes ? cols : kLanes);
  const LayerNormArgs packed = {data<void>(x),
                                data<void>(weight),
                                data<void>(bias),
                                data<void>(y),
                                statistics[0],
                                statistics[1],
                                cols,
                                static_cast<float>(eps),
                                static_cast<float>(1.0 / static_cast<double>(cols)),
                                static_cast<float>(1.0 / first)};
  return launch(exec, kLayerNorm.of(x.dtype), packed, rows, 1, kLayerNormThreads, grain(cols));
}

// ---- bias_gelu ----

enum { kGeluX, kGeluBias, kGeluY };

constexpr dsops_argument kBiasGeluArguments[] = {
    tensor("x", DSOPS_IN, kFloats, "[..., cols]", "input"),
    tensor("bias", DSOPS_IN, kFloats, "[cols]", "added to each row; dtype of x"),
    tensor("y", DSOPS_OUT, kFloats, "as x", "output; may be x itself", DSOPS_ARG_MAY_ALIAS),
};

std::int32_t bias_gelu(const dsops_exec* exec, const dsops_value* args) {
  const DLTensor& x = *args[kGeluX].as.tensor;
  const DLTensor& bias = *args[kGeluBias].as.tensor;
  const DLTensor& y = *args[kGeluY].as.tensor;
  if (const std::int32_t status = check_row_op(exec, x, nullptr, bias, y)) return status;
  const std::int64_t cols = columns(x);
  const std::int64_t tiles = (cols + kBiasGeluTile - 1) / kBiasGeluTile;
  const BiasGeluArgs packed = {data<void>(x), data<void>(bias), data<void>(y), cols, tiles};
  return launch(exec, kBiasGelu.of(x.dtype), packed, numel(x) / cols * tiles, 1, kBiasGeluThreads,
                grain(cols < kBiasGeluTile ? cols : kBiasGeluTile));
}

constexpr dsops_function kFunctions[] = {
    function(
        "layer_norm",
        "Layer normalisation of each row.\n"
        "y = (x - mean) / sqrt(variance + eps) * weight + bias, in float32, stored in x's dtype",
        kLayerNormArguments, layer_norm),
    function("bias_gelu",
             "GELU of x + bias, in its tanh form.\n"
             "y = 0.5 * u * (1 + tanh(sqrt(2 / pi) * (u + 0.044715 * u^3))), u = x + bias, in "
             "float32, stored in x's dtype",
             kBiasGeluArguments, bias_gelu)};

constexpr dsops_op kOp =
    op("transformer", "1.0.0", "Parts of a transformer layer: layer_norm and bias_gelu, forward",
       kFunctions);

}  // namespace
}  // namespace dsops

DSOPS_EXPORT_OP(dsops::kOp)
