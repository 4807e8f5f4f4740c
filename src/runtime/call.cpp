#include "runtime/call.h"

#include <array>

#include "runtime/accelerator.h"
#include "runtime/bundle.h"
#include "runtime/check.h"
#include "runtime/failure.h"

namespace dsops::runtime {
namespace {

// Room for the arguments of a call, without an allocation for as many as functions have.
class Values {
 public:
  explicit Values(std::size_t count) : more_(count > few_.size() ? count : 0), count_(count) {}
  std::span<dsops_value> span() { return {more_.empty() ? few_.data() : more_.data(), count_}; }

 private:
  std::array<dsops_value, 32> few_;
  std::vector<dsops_value> more_;
  std::size_t count_;
};

// All that happens before the op's own code.
std::int32_t prepare(const CallArguments& call, dsops_callable& callable, const dsops_exec* given,
                     const dsops_value* args, std::uint32_t count, dsops_exec& exec) {
  if (const std::int32_t status = take_arguments(call, args, count)) return status;
  if (const std::int32_t status = make_exec(given, exec)) return status;
  exec.callable = &callable;
  const DLTensor* tensor = first_tensor(call);
  if (const auto status = choose_backend(tensor, callable.op->accelerators, exec)) return status;
  return check_tensors(call, exec);
}

std::int32_t find_workspace_size(const dsops_callable& callable, const dsops_exec& exec,
                                 std::span<const dsops_value> values, std::size_t* bytes) {
  *bytes = 0;
  const dsops_function& function = callable.function;
  if (function.workspace_size == nullptr) return DSOPS_OK;
  return function.workspace_size(&exec, values.data(), bytes);
}

}  // namespace

std::int32_t call(dsops_callable& callable, const dsops_exec* given, const dsops_value* args,
                  std::uint32_t count) {
  Values values(callable.arguments.size());
  dsops_exec exec;
  const CallArguments arguments{callable, values.span()};
  if (const auto status = prepare(arguments, callable, given, args, count, exec)) return status;
  std::size_t bytes = 0;
  if (const auto status = find_workspace_size(callable, exec, values.span(), &bytes)) {
    return status;
  }
  if (bytes > 0 && (exec.workspace == nullptr || exec.workspace_size < bytes)) {
    return fail(DSOPS_WORKSPACE, "%s: expected a workspace of %zu bytes, got %zu",
                callable.label.c_str(), bytes, exec.workspace == nullptr ? 0 : exec.workspace_size);
  }
  if (const auto status = load_image(*callable.op, *exec.backend, exec.device_id, &exec.image)) {
    return status;
  }
  return callable.function.call(&exec, values.span().data());
}

std::int32_t workspace_size(dsops_callable& callable, const dsops_exec* given,
                            const dsops_value* args, std::uint32_t count, std::size_t* bytes) {
  Values values(callable.arguments.size());
  dsops_exec exec;
  const CallArguments arguments{callable, values.span()};
  if (const auto status = prepare(arguments, callable, given, args, count, exec)) return status;
  return find_workspace_size(callable, exec, values.span(), bytes);
}

}  // namespace dsops::runtime
