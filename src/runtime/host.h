// Knows what the runtime gives an op for a call: services, threads, the resolved dsops_exec.
// Does not know checks, images or any backend.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dsops/backend.h"

namespace dsops::runtime {

/// The services that ops and backends get; static.
const dsops_host* host();

/// Runs body for each range on exec's parallel_for, or on the pool.
void parallel_for(const dsops_exec* exec, std::int64_t ranges, void (*body)(void*, std::int64_t),
                  void* context);

/// A full copy of what the caller gave (nullptr: all defaults): its own members as far as it has
/// them, num_threads resolved, the runtime's members zero but for host. A struct_size that can't be
/// is a failure.
std::int32_t make_exec(const dsops_exec* given, dsops_exec& out);

/// Copies a struct out to a caller that may know fewer members: as many bytes as it says it has.
template <typename Struct>
void give_struct(Struct value, Struct* out) {
  const std::uint32_t size = out->struct_size;
  std::memcpy(out, &value, std::min<std::size_t>(size, sizeof value));
  out->struct_size = size;
}

}  // namespace dsops::runtime
