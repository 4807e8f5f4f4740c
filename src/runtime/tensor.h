// Knows one tensor: its dtype as a bit and a name, its size, whether it is compact.
// Does not know arguments or what a function wants.
#pragma once

#include <cstdint>
#include <string>

#include "dsops/dsops.h"

namespace dsops::runtime {

/// DSOPS_F32, ...; 0 for a type that dsops has no bit for.
std::uint64_t dtype_bit(DLDataType type);

/// "float32"; "code 5, 8 bits, 4 lanes" for a type without a bit.
std::string dtype_name(DLDataType type);

/// "float32", "float32 or bfloat16", "float16, float32 or float64" for a set of bits.
std::string dtype_names(std::uint64_t set);

/// Bytes of the elements; -1 if ndim or a length is negative or the product does not fit.
std::int64_t tensor_bytes(const DLTensor& tensor);

/// Whether the elements lie one after the other, the last dimension fastest.
bool is_contiguous(const DLTensor& tensor);

/// "[2, 3]".
std::string shape_text(const std::int64_t* lengths, std::int32_t count);

/// "cpu", "cuda", ... as a backend or DLPack calls it, or "device type 7".
std::string device_name(std::int32_t device_type);

}  // namespace dsops::runtime
