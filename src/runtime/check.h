// Knows the rules that hold for the arguments of every function, read from its table.
// Does not know shapes, what values mean, or how a function is called.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/callable.h"
#include "runtime/host.h"

namespace dsops::runtime {

/// What a call is checked against. Failures say "op.function: argument `name[i]`: expected ..., got
/// ...".
struct CallArguments {
  const dsops_callable& callable;
  std::span<dsops_value> values;  ///< one for each argument of the table
};

/// Copies the first `count` values given and takes defaults for the others. Fails for too many, for
/// one that must be given, for another kind than the table's, and for what points nowhere.
std::int32_t take_arguments(const CallArguments& call, const dsops_value* given,
                            std::uint32_t count);

/// First tensor of the call, through lists; nullptr if there is none.
const DLTensor* first_tensor(const CallArguments& call);

/// Checks each tensor: sane lengths, dtype, memory that the backend reaches, compact, aligned to
/// its element, writable if it is written. Then that no memory that is written overlaps another
/// argument's.
std::int32_t check_tensors(const CallArguments& call, const dsops_exec& exec);

}  // namespace dsops::runtime
