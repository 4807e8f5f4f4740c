#include "runtime/host.h"

#include <cstddef>

#include "runtime/callable.h"
#include "runtime/failure.h"
#include "runtime/pool.h"

namespace dsops::runtime {
namespace {

std::int32_t host_fail(const dsops_exec* exec, std::int32_t status, const char* format, ...) {
  const char* label = nullptr;
  if (exec != nullptr && exec->callable != nullptr) label = exec->callable->label.c_str();
  std::va_list args;
  va_start(args, format);
  fail_in(label, status, format, args);
  va_end(args);
  return status;
}

constexpr dsops_host kHost = {sizeof(dsops_host), &host_fail, &parallel_for};

}  // namespace

const dsops_host* host() {
  return &kHost;
}

void parallel_for(const dsops_exec* exec, std::int64_t ranges, void (*body)(void*, std::int64_t),
                  void* context) {
  if (ranges <= 1) {
    if (ranges == 1) body(context, 0);
  } else if (exec->parallel_for != nullptr) {
    exec->parallel_for(exec->parallel_for_context, ranges, body, context);
  } else {
    Pool::instance().run(ranges, body, context);
  }
}

std::int32_t make_exec(const dsops_exec* given, dsops_exec& out) {
  out = DSOPS_EXEC_INIT;
  if (given != nullptr) {
    if (given->struct_size < offsetof(dsops_exec, host)) {
      return fail(DSOPS_INVALID, "exec.struct_size is %u: begin with DSOPS_EXEC_INIT",
                  given->struct_size);
    }
    std::memcpy(&out, given, offsetof(dsops_exec, host));
    out.struct_size = sizeof out;
  }
  if (out.num_threads < 0) {
    return fail(DSOPS_INVALID, "exec.num_threads: expected 0 or more, got %d", out.num_threads);
  }
  if (out.num_threads == 0) out.num_threads = Pool::instance().size();
  out.host = host();
  return DSOPS_OK;
}

}  // namespace dsops::runtime
