// Knows the way of a call: arguments, device, checks, image, the op's function.
// Does not know the rules of any of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsops/dsops.h"

namespace dsops::runtime {

std::int32_t call(dsops_callable& callable, const dsops_exec* given, const dsops_value* args,
                  std::uint32_t count);

std::int32_t workspace_size(dsops_callable& callable, const dsops_exec* given,
                            const dsops_value* args, std::uint32_t count, std::size_t* bytes);

}  // namespace dsops::runtime
