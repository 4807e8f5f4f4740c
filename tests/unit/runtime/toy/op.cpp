// An op for the tests of the runtime: each function shows one thing that the runtime does.
#include <dsops/op.h>

#include "toy.h"

namespace {

using namespace dsops;

// Whole blocks are the least that a range has, so this is small enough to make several.
constexpr std::int32_t kBlock = 64;

std::int32_t axpy(const dsops_exec* exec, const dsops_value* args) {
  const DLTensor& y = *args[0].as.tensor;
  const DLTensor& x = *args[1].as.tensor;
  if (!same_shape(x, y)) {
    return DSOPS_FAIL(exec, DSOPS_INVALID,
                      "argument `x`: expected the %lld elements of `y`, got %lld",
                      static_cast<long long>(numel(y)), static_cast<long long>(numel(x)));
  }
  const AxpyArgs kernel{data<float>(y), data<const float>(x), static_cast<float>(args[2].as.f64),
                        numel(y)};
  return launch(exec, "toy_axpy", kernel, kernel.items, kBlock, kBlock);
}
constexpr dsops_argument kAxpy[] = {
    tensor("y", DSOPS_INOUT, DSOPS_F32, "[n]", "The sum"),
    tensor("x", DSOPS_IN, DSOPS_F32, "[n]", "What is added"),
    real("alpha", "Its factor", value(1.0)),
};

std::int32_t scale(const dsops_exec*, const dsops_value* args) {
  const DLTensor& x = *args[0].as.tensor;
  for (std::int64_t i = 0; i < numel(x); ++i) {
    data<float>(*args[1].as.tensor)[i] = data<float>(x)[i] * static_cast<float>(args[2].as.f64);
  }
  return DSOPS_OK;
}
constexpr dsops_argument kScale[] = {
    tensor("x", DSOPS_IN, DSOPS_F32, nullptr, nullptr),
    tensor("out", DSOPS_OUT, DSOPS_F32, nullptr, nullptr, DSOPS_ARG_MAY_ALIAS),
    real("factor", nullptr),
};

std::int32_t lists(const dsops_exec*, const dsops_value*) {
  return DSOPS_OK;
}
constexpr dsops_argument kLists[] = {
    tensor_list("ys", DSOPS_INOUT, DSOPS_F32 | DSOPS_F16, nullptr, nullptr),
    tensor_list("xs", DSOPS_IN, DSOPS_F32 | DSOPS_F16 | DSOPS_BF16, nullptr, nullptr),
};

// Writes what it was given.
std::int32_t report(const dsops_exec* exec, const dsops_value* args) {
  auto* out = data<double>(*args[0].as.tensor);
  out[0] = static_cast<double>(args[1].as.i64);
  out[1] = static_cast<double>(args[2].as.i64);
  out[2] = args[3].as.f64;
  out[3] = args[4].kind;
  out[4] = exec->num_threads;
  out[5] = exec->device_type;
  out[6] = exec->struct_size == sizeof(dsops_exec) && exec->host != nullptr ? 1 : 0;
  return DSOPS_OK;
}
constexpr dsops_argument kReport[] = {
    tensor("out", DSOPS_OUT, DSOPS_F64, "[7]", "Where the values go"),
    integer("count", "An integer"),
    boolean("flag", "A boolean", value(true)),
    real("rate", "A float", value(0.5)),
    tensor("extra", DSOPS_IN, DSOPS_F32, "any", "A tensor", DSOPS_ARG_OPTIONAL),
};

template <const char* const& kKernel>
std::int32_t fill(const dsops_exec* exec, const dsops_value* args) {
  const DLTensor& out = *args[0].as.tensor;
  const OutArgs kernel{data<float>(out), numel(out)};
  return launch(exec, kKernel, kernel, kernel.items, kBlock, kBlock);
}
constexpr dsops_argument kOut[] = {tensor("out", DSOPS_OUT, DSOPS_F32, "[n]", nullptr)};
constexpr const char* kLevel = "toy_level";
constexpr const char* kSubnormal = "toy_subnormal";
constexpr const char* kStall = "toy_stall";
constexpr const char* kMissing = "toy_missing";

std::int32_t scratch_size(const dsops_exec*, const dsops_value* args, std::size_t* bytes) {
  *bytes = static_cast<std::size_t>(numel(*args[0].as.tensor)) * sizeof(float);
  return DSOPS_OK;
}
std::int32_t scratch(const dsops_exec* exec, const dsops_value* args) {
  auto* memory = static_cast<float*>(exec->workspace);
  for (std::int64_t i = 0; i < numel(*args[0].as.tensor); ++i) memory[i] = 7;
  return DSOPS_OK;
}

constexpr dsops_function kFunctions[] = {
    function("axpy", "Adds a multiple.\n\ny = y + alpha * x", kAxpy, &axpy),
    function("scale", "Multiplies.", kScale, &scale),
    function("lists", "Takes lists.", kLists, &lists),
    function("report", "Reports its arguments.", kReport, &report),
    function("level", "Writes the level of the image.", kOut, &fill<kLevel>),
    function("subnormal", "Writes a subnormal number.", kOut, &fill<kSubnormal>),
    function("stall", "Hangs a GPU.", kOut, &fill<kStall>),
    function("missing", "Launches a kernel that no image has.", kOut, &fill<kMissing>),
    function("scratch", "Uses a workspace.", kOut, &scratch, &scratch_size),
};
constexpr dsops_op kOp = op("toy", "1.2.3", "An op for tests", kFunctions);

}  // namespace

DSOPS_EXPORT_OP(kOp)
