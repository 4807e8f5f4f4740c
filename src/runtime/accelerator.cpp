#include "runtime/accelerator.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "runtime/backends.h"
#include "runtime/failure.h"
#include "runtime/host.h"
#include "runtime/system.h"
#include "runtime/tensor.h"

namespace dsops::runtime {
namespace {

// The variable by which DeepSpeed's users name an accelerator.
constexpr const char* kVariable = "DS_ACCELERATOR";

struct Choice {
  const dsops_backend* backend = nullptr;
  std::int32_t devices = 0;
  std::string rule;
};

std::int32_t choose_named(const char* name, Choice& out) {
  out.backend = find_backend(name);
  if (out.backend == nullptr) {
    return fail(DSOPS_INVALID, "%s: expected one of %s, got \"%s\"", kVariable,
                backend_names().c_str(), name);
  }
  out.rule = std::string(kVariable) + "=" + name;
  if (const std::int32_t status = out.backend->device_count(&out.devices)) {
    const std::string reason = last_error();
    return fail(status, "%s: %s", out.rule.c_str(), reason.c_str());
  }
  if (out.devices > 0) return DSOPS_OK;
  return fail(DSOPS_UNSUPPORTED, "%s: no device of it is visible", out.rule.c_str());
}

std::int32_t choose_first(Choice& out) {
  for (std::int32_t i = 0; i < backend_count(); ++i) {
    const dsops_backend* backend = backend_at(i);
    if (backend == &kCpuBackend || backend == &kEmuBackend) continue;
    std::int32_t devices = 0;
    const std::int32_t status = backend->device_count(&devices);
    if (status == DSOPS_OK && devices > 0) {
      out.rule += std::string(backend->name) + " is the first that has a device";
      out.backend = backend;
      out.devices = devices;
      return DSOPS_OK;
    }
    out.rule += status == DSOPS_OK ? std::string(backend->name) + ": no device" : last_error();
    out.rule += "; ";
  }
  out.rule += "cpu is always there";
  out.backend = &kCpuBackend;
  return kCpuBackend.device_count(&out.devices);
}

std::int32_t choose(Choice& out) {
  const char* named = find_variable(kVariable);
  return named == nullptr ? choose_first(out) : choose_named(named, out);
}

bool reaches(const dsops_backend& backend, std::int32_t memory) {
  return memory >= 0 && memory < 32 && (backend.memory_types >> memory & 1) != 0;
}

// nullptr if nothing reaches that memory.
const dsops_backend* backend_for(std::int32_t memory) {
  if (const char* named = find_variable(kVariable)) {
    const dsops_backend* backend = find_backend(named);
    if (backend != nullptr && reaches(*backend, memory)) return backend;
  }
  if (const dsops_backend* owner = find_backend(memory)) return owner;
  return reaches(kCpuBackend, memory) ? &kCpuBackend : nullptr;
}

std::int32_t choose_by_tensor(const DLTensor& tensor, dsops_exec& exec) {
  const auto memory = static_cast<std::int32_t>(tensor.device.device_type);
  exec.backend = backend_for(memory);
  if (exec.backend == nullptr) {
    return fail(DSOPS_UNSUPPORTED, "no backend reaches %s memory (there are: %s)",
                device_name(memory).c_str(), backend_names().c_str());
  }
  exec.device_type = exec.backend->device_type;
  exec.device_id = memory == exec.device_type ? tensor.device.device_id : 0;
  return DSOPS_OK;
}

std::int32_t choose_for_op(const std::vector<std::string>& accelerators, dsops_exec& exec) {
  Choice choice;
  const std::int32_t status = choose(choice);
  exec.backend = status == DSOPS_OK ? choice.backend : nullptr;
  const bool served =
      exec.backend != nullptr &&
      std::find(accelerators.begin(), accelerators.end(), exec.backend->name) != accelerators.end();
  for (std::size_t i = 0; !served && i < accelerators.size(); ++i) {
    const dsops_backend* backend = find_backend(accelerators[i]);
    if (backend == nullptr) continue;
    exec.backend = backend;
    break;
  }
  if (exec.backend == nullptr) return status;
  exec.device_type = exec.backend->device_type;
  return DSOPS_OK;
}

}  // namespace

std::int32_t get_accelerator(dsops_accelerator* out) {
  if (out == nullptr || out->struct_size < sizeof(std::uint32_t)) {
    return fail(DSOPS_INVALID, "dsops_get_accelerator: set struct_size of the result first");
  }
  Choice choice;
  if (const std::int32_t status = choose(choice)) return status;
  dsops_accelerator value = {};
  value.device_type = choice.backend->device_type;
  value.device_count = choice.devices;
  value.name = choice.backend->name;
  std::snprintf(value.rule, sizeof value.rule, "%s", choice.rule.c_str());
  give_struct(value, out);
  return DSOPS_OK;
}

std::int32_t choose_backend(const DLTensor* tensor, const std::vector<std::string>& accelerators,
                            dsops_exec& exec) {
  if (exec.device_type == DSOPS_DEVICE_AUTO) {
    return tensor != nullptr ? choose_by_tensor(*tensor, exec) : choose_for_op(accelerators, exec);
  }
  exec.backend = find_backend(exec.device_type);
  if (exec.backend != nullptr) return DSOPS_OK;
  return fail(DSOPS_INVALID, "exec.device_type: no backend has device type %d (there are: %s)",
              exec.device_type, backend_names().c_str());
}

}  // namespace dsops::runtime
