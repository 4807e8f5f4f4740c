// Knows how a failure leaves libdsops: a status, and a text that belongs to the thread.
// Does not know what failed.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <exception>
#include <new>

#include "dsops/dsops.h"

namespace dsops::runtime {

/// Sets this thread's text and returns `status`.
std::int32_t fail(std::int32_t status, const char* format, ...) DSOPS_PRINTF(2, 3);

/// The same, after "label: " if there is a label.
std::int32_t fail_in(const char* label, std::int32_t status, const char* format, std::va_list args);

/// This thread's text; "" before its first failure.
const char* last_error();

/// Runs `body`, which returns a status, at the border of the library: no exception crosses it.
template <typename Body>
std::int32_t guard(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(DSOPS_RUNTIME, "out of memory");
  } catch (const std::exception& e) {
    return fail(DSOPS_RUNTIME, "unexpected: %s", e.what());
  } catch (...) {
    return fail(DSOPS_RUNTIME, "unexpected exception");
  }
}

}  // namespace dsops::runtime
