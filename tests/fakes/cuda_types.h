// The types in cuda_calls.h. Knows no call.
#pragma once

#include <cstddef>

namespace fake::cuda {

enum Code : int { success = 0 };
enum Attribute : int { bus = 33, device = 34, domain = 50, major = 75, minor = 76 };
struct Uuid {
  char bytes[16];
};

}  // namespace fake::cuda
