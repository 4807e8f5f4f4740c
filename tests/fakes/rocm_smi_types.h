// The types in rocm_smi_calls.h. Knows no call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fake::rocm_smi {

enum MemoryType : int { vram = 0 };
enum Status : int { invalid_arguments = 1, not_supported = 2 };
enum Component : int { driver = 0 };
struct Version {
  std::uint32_t major, minor, patch;
  const char* build;
};

}  // namespace fake::rocm_smi
