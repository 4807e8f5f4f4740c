// Knows which accelerator a process uses and which backend a call runs on.
// Does not know what a backend does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsops/backend.h"

namespace dsops::runtime {

std::int32_t get_accelerator(dsops_accelerator* out);

/// Resolves exec.device_type and device_id, and sets exec.backend. DSOPS_DEVICE_AUTO takes the
/// device that holds `tensor`; host memory goes to cpu, or to the accelerator of DS_ACCELERATOR if
/// that one reaches host memory (emu does). Without a tensor it is the process's accelerator, or
/// the first of `accelerators`, those that the op has images for, if that one is not among them.
std::int32_t choose_backend(const DLTensor* tensor, const std::vector<std::string>& accelerators,
                            dsops_exec& exec);

}  // namespace dsops::runtime
