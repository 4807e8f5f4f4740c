// Knows how to give a kernel the same floating-point mode on every thread: round to nearest,
// subnormals kept. Does not know kernels.
#pragma once

#include <cstdint>

namespace dsops::runtime {

/// Sets the mode while it lives. A program may have turned on "flush subnormals to zero" for its
/// own thread (any library linked with -ffast-math does), and new threads inherit that or not:
/// results would depend on the thread.
class DefaultFloatMode {
 public:
  DefaultFloatMode() {
#if defined(__x86_64__)
    asm volatile("stmxcsr %0" : "=m"(saved_));
    const std::uint32_t standard = 0x1F80;  // Intel SDM volume 1, 10.2.3: MXCSR after reset
    asm volatile("ldmxcsr %0" : : "m"(standard));
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
#endif
  }
  ~DefaultFloatMode() {
#if defined(__x86_64__)
    asm volatile("ldmxcsr %0" : : "m"(saved_));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(saved_));
#endif
  }
  DefaultFloatMode(const DefaultFloatMode&) = delete;
  DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

 private:
#if defined(__x86_64__)
  std::uint32_t saved_ = 0;
#elif defined(__aarch64__)
  std::uint64_t saved_ = 0;
#endif
};

}  // namespace dsops::runtime
