// Knows the argument structs that the toy op and its kernels share.
// Does not know how they are launched.
#pragma once

#include <cstdint>

struct AxpyArgs {
  float* y;
  const float* x;
  float alpha;
  std::int64_t items;
};

struct OutArgs {
  float* out;
  std::int64_t items;
};
