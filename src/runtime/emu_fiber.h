// Knows how to run a function on a stack of its own and to switch to and from it.
// Does not know GPU threads, blocks or kernels.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DSOPS_FIBER_UCONTEXT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DSOPS_FIBER_UCONTEXT 1
#endif
#endif
#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(DSOPS_FIBER_UCONTEXT)
#define DSOPS_FIBER_UCONTEXT 1
#endif

#ifdef DSOPS_FIBER_UCONTEXT
#include <ucontext.h>
#endif

namespace dsops::runtime {

/// A stack and what is running on it. resume() runs the function until it calls suspend() or
/// returns; suspend() may be called only from within that function. Both must happen on one OS
/// thread. The switch is a few instructions of assembly on x86-64 and aarch64 (callee-saved
/// registers and the floating-point control words), ucontext elsewhere and under the sanitizers,
/// which follow that.
class Fiber {
 public:
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Gets the stack, `bytes` long with a page below it that faults; false if there is no memory.
  bool make_stack(std::size_t bytes);

  /// Sets what the next resume() begins with; whatever was suspended before is forgotten, without
  /// unwinding.
  void start(void (*function)(void*), void* argument);

  void resume();
  void suspend();

  /// The function has returned, or start() was never called.
  bool done() const { return done_; }

  /// Body of a new stack; for the assembly and ucontext only.
  void run();

 private:
  void (*function_)(void*) = nullptr;
  void* argument_ = nullptr;
  char* memory_ = nullptr;  // guard page, then the stack
  std::size_t size_ = 0;    // of both
  bool done_ = true;
#ifdef DSOPS_FIBER_UCONTEXT
  ucontext_t inside_;
  ucontext_t outside_;
#else
  void* inside_ = nullptr;   // stack pointer of the suspended function
  void* outside_ = nullptr;  // stack pointer of the caller of resume()
#endif
};

}  // namespace dsops::runtime
