// Knows the one table of backends, the built-in ones and those that a program adds.
// Does not know what any of them does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dsops/backend.h"

namespace dsops::runtime {

extern const dsops_backend kCudaBackend;  // backend_absent.cpp
extern const dsops_backend kRocmBackend;  // backend_absent.cpp
extern const dsops_backend kCpuBackend;   // backend_cpu.cpp
extern const dsops_backend kEmuBackend;   // backend_emu.cpp

std::int32_t backend_count();
const dsops_backend* backend_at(std::int32_t index);  // nullptr out of range

/// nullptr if there is none; sets no text.
const dsops_backend* find_backend(std::string_view name);
const dsops_backend* find_backend(std::int32_t device_type);

/// Names of all, separated by ", ".
std::string backend_names();

/// Loads a shared library that exports dsops_backend_v1 and adds its backend.
std::int32_t load_backend(const char* path);

}  // namespace dsops::runtime
