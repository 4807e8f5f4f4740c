// Knows how to write an op's host library in few lines: descriptor rows, tensor access, launch.
// Does not know the runtime: all of it is inline, so an op library links nothing.
#pragma once

#include <cstdint>

#include "backend.h"

namespace dsops {

constexpr std::uint32_t kStructSize = sizeof(dsops_argument);

/// Value of a number, flag or tensor, as a default or as an argument.
constexpr dsops_value none() {
  return {DSOPS_NONE, 0, {.i64 = 0}};
}
constexpr dsops_value value(double v) {
  return {DSOPS_FLOAT, 0, {.f64 = v}};
}
constexpr dsops_value value(std::int64_t v) {
  return {DSOPS_INT, 0, {.i64 = v}};
}
constexpr dsops_value value(int v) {
  return value(std::int64_t{v});
}
constexpr dsops_value value(bool v) {
  return {DSOPS_BOOL, 0, {.i64 = v ? 1 : 0}};
}
constexpr dsops_value value(const DLTensor* v) {
  return {DSOPS_TENSOR, 0, {.tensor = v}};
}
constexpr dsops_value value(const dsops_tensor_list* v) {
  return {DSOPS_TENSOR_LIST, 0, {.list = v}};
}

/// Rows of a function's argument table. `direction` is DSOPS_IN, DSOPS_OUT or DSOPS_INOUT, `dtypes`
/// a set of DSOPS_F32 | ..., `shape` a rule for people, `flags` DSOPS_ARG_ bits. A row without a
/// default must be given.
constexpr dsops_argument tensor(const char* name, std::uint32_t direction, std::uint64_t dtypes,
                                const char* shape, const char* doc, std::uint32_t flags = 0) {
  return {kStructSize, DSOPS_TENSOR, direction, flags, dtypes, name, shape, doc, none()};
}
constexpr dsops_argument tensor_list(const char* name, std::uint32_t direction,
                                     std::uint64_t dtypes, const char* shape, const char* doc,
                                     std::uint32_t flags = 0) {
  return {kStructSize, DSOPS_TENSOR_LIST, direction, flags, dtypes, name, shape, doc, none()};
}
constexpr dsops_argument integer(const char* name, const char* doc, dsops_value fallback = none()) {
  return {kStructSize, DSOPS_INT, DSOPS_IN, 0, 0, name, nullptr, doc, fallback};
}
constexpr dsops_argument real(const char* name, const char* doc, dsops_value fallback = none()) {
  return {kStructSize, DSOPS_FLOAT, DSOPS_IN, 0, 0, name, nullptr, doc, fallback};
}
constexpr dsops_argument boolean(const char* name, const char* doc, dsops_value fallback = none()) {
  return {kStructSize, DSOPS_BOOL, DSOPS_IN, 0, 0, name, nullptr, doc, fallback};
}

/// A function row: name, doc, argument table, call, and the bytes of workspace if it needs any.
template <std::uint32_t N>
constexpr dsops_function function(const char* name, const char* doc,
                                  const dsops_argument (&arguments)[N],
                                  decltype(dsops_function::call) call,
                                  decltype(dsops_function::workspace_size) workspace = nullptr) {
  return {sizeof(dsops_function), N, name, doc, arguments, call, workspace};
}

/// The op of a library, and the library itself.
template <std::uint32_t N>
constexpr dsops_op op(const char* name, const char* version, const char* summary,
                      const dsops_function (&functions)[N]) {
  return {sizeof(dsops_op), N, name, version, summary, functions};
}
constexpr dsops_library library(const dsops_op& op) {
  return {sizeof(dsops_library), DSOPS_ABI_MAJOR, DSOPS_ABI_MINOR, 1, 0, &op};
}

/// Number of elements; 1 for a scalar. The runtime has checked that it fits.
inline std::int64_t numel(const DLTensor& t) {
  std::int64_t n = 1;
  for (std::int32_t i = 0; i < t.ndim; ++i) n *= t.shape[i];
  return n;
}

/// First element. The dtype is the caller's to know.
template <typename T>
T* data(const DLTensor& t) {
  return reinterpret_cast<T*>(static_cast<char*>(t.data) + t.byte_offset);
}

/// Equal dtypes, equal shapes.
inline bool same_dtype(const DLTensor& a, const DLTensor& b) {
  return a.dtype.code == b.dtype.code && a.dtype.bits == b.dtype.bits &&
         a.dtype.lanes == b.dtype.lanes;
}
inline bool same_shape(const DLTensor& a, const DLTensor& b) {
  if (a.ndim != b.ndim) return false;
  for (std::int32_t i = 0; i < a.ndim; ++i) {
    if (a.shape[i] != b.shape[i]) return false;
  }
  return true;
}

/// Name of a dtype for messages: "float32", "bfloat16", ...; "?" for what dsops has no bit for.
inline const char* dtype_name(DLDataType type) {
  struct Row {
    std::uint8_t code, bits;
    const char* name;
  };
  constexpr Row rows[] = {
      {DSOPS_CODE_FLOAT, 32, "float32"},   {DSOPS_CODE_FLOAT, 16, "float16"},
      {DSOPS_CODE_BFLOAT, 16, "bfloat16"}, {DSOPS_CODE_FLOAT, 64, "float64"},
      {DSOPS_CODE_INT, 8, "int8"},         {DSOPS_CODE_INT, 16, "int16"},
      {DSOPS_CODE_INT, 32, "int32"},       {DSOPS_CODE_INT, 64, "int64"},
      {DSOPS_CODE_UINT, 8, "uint8"},       {DSOPS_CODE_UINT, 16, "uint16"},
      {DSOPS_CODE_UINT, 32, "uint32"},     {DSOPS_CODE_UINT, 64, "uint64"},
      {DSOPS_CODE_BOOL, 8, "bool"},
  };
  for (const Row& row : rows) {
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1) return row.name;
  }
  return "?";
}

/// Launches `kernel` with one plain struct over `items`, see dsops_launch.
template <typename Args>
std::int32_t launch(const dsops_exec* exec, const char* kernel, const Args& args,
                    std::int64_t items, std::int32_t items_per_block,
                    std::int32_t threads_per_block, std::int64_t grain = 0) {
  const dsops_launch request{sizeof(dsops_launch),
                             items_per_block,
                             threads_per_block,
                             0,
                             kernel,
                             &args,
                             sizeof(Args),
                             items,
                             grain};
  return exec->backend->launch(exec, &request);
}

}  // namespace dsops

/// Fails the call with a text after "op.function: "; argument texts read
/// "argument `grads[2]`: expected float32, got bfloat16".
#define DSOPS_FAIL(exec, status, ...) ((exec)->host->fail((exec), (status), __VA_ARGS__))

/// Exports the library of one dsops_op.
#define DSOPS_EXPORT_OP(the_op)                                      \
  extern "C" DSOPS_API const dsops_library* dsops_library_v1(void) { \
    static constexpr dsops_library library = dsops::library(the_op); \
    return &library;                                                 \
  }
