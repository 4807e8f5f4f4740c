#include "runtime/failure.h"

#include <cstdio>
#include <cstring>

namespace dsops::runtime {
namespace {

// Fixed, so that a failure needs no memory and a thread leaves nothing behind.
thread_local char text[1024] = "";

}  // namespace

std::int32_t fail_in(const char* label, std::int32_t status, const char* format,
                     std::va_list args) {
  // Through a second buffer: an argument may be the old text.
  char fresh[sizeof text];
  int used = 0;
  if (label != nullptr) used = std::snprintf(fresh, sizeof fresh, "%s: ", label);
  if (used >= 0 && used < static_cast<int>(sizeof fresh)) {
    std::vsnprintf(fresh + used, sizeof fresh - static_cast<std::size_t>(used), format, args);
  }
  std::memcpy(text, fresh, sizeof text);
  return status;
}

std::int32_t fail(std::int32_t status, const char* format, ...) {
  std::va_list args;
  va_start(args, format);
  fail_in(nullptr, status, format, args);
  va_end(args);
  return status;
}

const char* last_error() {
  return text;
}

}  // namespace dsops::runtime
