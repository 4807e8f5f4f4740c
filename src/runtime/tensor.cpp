#include "runtime/tensor.h"

#include <bit>

#include "runtime/backends.h"

namespace dsops::runtime {
namespace {

struct Dtype {
  std::uint64_t bit;
  std::uint8_t code;
  std::uint8_t bits;
  const char* name;
};

constexpr Dtype kDtypes[] = {
    {DSOPS_F32, DSOPS_CODE_FLOAT, 32, "float32"},    {DSOPS_F16, DSOPS_CODE_FLOAT, 16, "float16"},
    {DSOPS_BF16, DSOPS_CODE_BFLOAT, 16, "bfloat16"}, {DSOPS_F64, DSOPS_CODE_FLOAT, 64, "float64"},
    {DSOPS_I8, DSOPS_CODE_INT, 8, "int8"},           {DSOPS_I16, DSOPS_CODE_INT, 16, "int16"},
    {DSOPS_I32, DSOPS_CODE_INT, 32, "int32"},        {DSOPS_I64, DSOPS_CODE_INT, 64, "int64"},
    {DSOPS_U8, DSOPS_CODE_UINT, 8, "uint8"},         {DSOPS_U16, DSOPS_CODE_UINT, 16, "uint16"},
    {DSOPS_U32, DSOPS_CODE_UINT, 32, "uint32"},      {DSOPS_U64, DSOPS_CODE_UINT, 64, "uint64"},
    {DSOPS_BOOL8, DSOPS_CODE_BOOL, 8, "bool"},
};

const Dtype* find_dtype(DLDataType type) {
  for (const Dtype& row : kDtypes) {
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1) return &row;
  }
  return nullptr;
}

}  // namespace

std::uint64_t dtype_bit(DLDataType type) {
  const Dtype* row = find_dtype(type);
  return row == nullptr ? 0 : row->bit;
}

std::string dtype_name(DLDataType type) {
  if (const Dtype* row = find_dtype(type)) return row->name;
  return "code " + std::to_string(type.code) + ", " + std::to_string(type.bits) + " bits, " +
         std::to_string(type.lanes) + " lanes";
}

std::string dtype_names(std::uint64_t set) {
  std::string text;
  int left = std::popcount(set);
  for (const Dtype& row : kDtypes) {
    if ((set & row.bit) == 0) continue;
    --left;
    text += row.name;
    if (left > 0) text += left == 1 ? " or " : ", ";
  }
  return text;
}

std::int64_t tensor_bytes(const DLTensor& tensor) {
  if (tensor.ndim < 0) return -1;
  std::int64_t bytes = (tensor.dtype.bits + 7) / 8;
  bool empty = false;
  for (std::int32_t i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] < 0) return -1;
    empty |= tensor.shape[i] == 0;
    if (!empty && __builtin_mul_overflow(bytes, tensor.shape[i], &bytes)) return -1;
  }
  return empty ? 0 : bytes;
}

bool is_contiguous(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  std::int64_t step = 1;
  bool compact = true;
  for (std::int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] == 0) return true;
    if (tensor.shape[i] != 1 && tensor.strides[i] != step) compact = false;
    step *= tensor.shape[i];
  }
  return compact;
}

std::string shape_text(const std::int64_t* lengths, std::int32_t count) {
  std::string text = "[";
  for (std::int32_t i = 0; i < count; ++i) {
    text += i == 0 ? "" : ", ";
    text += std::to_string(lengths[i]);
  }
  return text + "]";
}

std::string device_name(std::int32_t device_type) {
  switch (device_type) {
    case DSOPS_DEVICE_CUDA_HOST:
      return "cuda_host";
    case DSOPS_DEVICE_ROCM_HOST:
      return "rocm_host";
    case DSOPS_DEVICE_CUDA_MANAGED:
      return "cuda_managed";
    default:
      break;
  }
  if (const dsops_backend* backend = find_backend(device_type)) return backend->name;
  return "device type " + std::to_string(device_type);
}

}  // namespace dsops::runtime
