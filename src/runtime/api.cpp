// The exported functions of dsops.h: null checks and the border that no exception crosses.
#include "runtime/accelerator.h"
#include "runtime/backends.h"
#include "runtime/bundle.h"
#include "runtime/call.h"
#include "runtime/failure.h"

using namespace dsops::runtime;

namespace {

std::int32_t need(const void* pointer, const char* what) {
  return pointer != nullptr ? DSOPS_OK : fail(DSOPS_INVALID, "%s is NULL", what);
}

}  // namespace

std::uint32_t dsops_abi_version(void) {
  return DSOPS_ABI_MAJOR << 16 | DSOPS_ABI_MINOR;
}

const char* dsops_last_error(void) {
  return last_error();
}

const char* dsops_status_name(std::int32_t status) {
  switch (status) {
    case DSOPS_OK:
      return "ok";
    case DSOPS_INVALID:
      return "invalid";
    case DSOPS_UNSUPPORTED:
      return "unsupported";
    case DSOPS_WORKSPACE:
      return "workspace too small";
    case DSOPS_RUNTIME:
      return "runtime failure";
    case DSOPS_NOT_FOUND:
      return "not found";
    default:
      return "unknown status";
  }
}

std::int32_t dsops_bundle_open(const char* path, dsops_bundle** out) {
  return guard([&] {
    if (const std::int32_t status = need(out, "dsops_bundle_open: out")) return status;
    *out = nullptr;
    std::unique_ptr<dsops_bundle> bundle;
    const std::int32_t status = open_bundle(path, bundle);
    *out = bundle.release();
    return status;
  });
}

void dsops_bundle_close(dsops_bundle* bundle) {
  delete bundle;
}

const char* dsops_bundle_path(const dsops_bundle* bundle) {
  return bundle == nullptr ? nullptr : bundle->folder.path.c_str();
}

std::int32_t dsops_bundle_op_count(const dsops_bundle* bundle) {
  return bundle == nullptr ? 0 : static_cast<std::int32_t>(bundle->ops.size());
}

const char* dsops_bundle_op_name(const dsops_bundle* bundle, std::int32_t index) {
  if (index < 0 || index >= dsops_bundle_op_count(bundle)) return nullptr;
  return bundle->ops[static_cast<std::size_t>(index)]->name.c_str();
}

const char* dsops_bundle_op_accelerators(dsops_bundle* bundle, const char* op) {
  const char* result = nullptr;
  guard([&] {
    if (const std::int32_t status = need(bundle, "dsops_bundle_op_accelerators: bundle")) {
      return status;
    }
    const Op* found = find_op(*bundle, op);
    if (found != nullptr) result = found->accelerators_text.c_str();
    return std::int32_t{DSOPS_OK};
  });
  return result;
}

std::int32_t dsops_bundle_op(dsops_bundle* bundle, const char* op, const dsops_op** out) {
  return guard([&] {
    if (const std::int32_t status = need(bundle, "dsops_bundle_op: bundle")) return status;
    if (const std::int32_t status = need(out, "dsops_bundle_op: out")) return status;
    *out = nullptr;
    Op* found = find_op(*bundle, op);
    if (found == nullptr) return std::int32_t{DSOPS_NOT_FOUND};
    if (const std::int32_t status = load_op(*found)) return status;
    *out = &found->library->op;
    return std::int32_t{DSOPS_OK};
  });
}

std::int32_t dsops_find(dsops_bundle* bundle, const char* op, const char* function,
                        dsops_callable** out) {
  return guard([&] {
    if (const std::int32_t status = need(bundle, "dsops_find: bundle")) return status;
    if (const std::int32_t status = need(function, "dsops_find: function")) return status;
    if (const std::int32_t status = need(out, "dsops_find: out")) return status;
    *out = nullptr;
    Op* found = find_op(*bundle, op);
    if (found == nullptr) return std::int32_t{DSOPS_NOT_FOUND};
    if (const std::int32_t status = load_op(*found)) return status;
    std::string names;
    for (const std::unique_ptr<dsops_callable>& callable : found->library->callables) {
      if (std::string_view(callable->function.name) == function) *out = callable.get();
      names += (names.empty() ? "" : ", ") + std::string(callable->function.name);
    }
    if (*out != nullptr) return std::int32_t{DSOPS_OK};
    return fail(DSOPS_NOT_FOUND, "%s has no function %s (it has: %s)", op, function, names.c_str());
  });
}

const dsops_function* dsops_describe(const dsops_callable* callable) {
  return callable == nullptr ? nullptr : &callable->function;
}

std::int32_t dsops_call(dsops_callable* callable, const dsops_exec* exec, const dsops_value* args,
                        std::uint32_t count) {
  return guard([&] {
    const std::int32_t status = need(callable, "dsops_call: callable");
    return status != DSOPS_OK ? status : call(*callable, exec, args, count);
  });
}

std::int32_t dsops_workspace_size(dsops_callable* callable, const dsops_exec* exec,
                                  const dsops_value* args, std::uint32_t count,
                                  std::size_t* bytes) {
  return guard([&] {
    if (const std::int32_t status = need(callable, "dsops_workspace_size: callable")) {
      return status;
    }
    if (const std::int32_t status = need(bytes, "dsops_workspace_size: bytes")) return status;
    return workspace_size(*callable, exec, args, count, bytes);
  });
}

std::int32_t dsops_get_accelerator(dsops_accelerator* out) {
  return guard([&] { return get_accelerator(out); });
}

std::int32_t dsops_backend_count(void) {
  return backend_count();
}

const dsops_backend* dsops_backend_at(std::int32_t index) {
  return backend_at(index);
}

std::int32_t dsops_backend_find(const char* name, const dsops_backend** out) {
  return guard([&] {
    if (const std::int32_t status = need(name, "dsops_backend_find: name")) return status;
    if (const std::int32_t status = need(out, "dsops_backend_find: out")) return status;
    *out = find_backend(std::string_view(name));
    if (*out != nullptr) return std::int32_t{DSOPS_OK};
    return fail(DSOPS_NOT_FOUND, "no backend %s (there are: %s)", name, backend_names().c_str());
  });
}

std::int32_t dsops_backend_load(const char* path) {
  return guard([&] { return load_backend(path); });
}
