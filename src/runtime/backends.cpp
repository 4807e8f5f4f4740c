#include "runtime/backends.h"

#include <dlfcn.h>

#include <atomic>
#include <mutex>

#include "runtime/failure.h"
#include "runtime/host.h"
#include "runtime/system.h"

namespace dsops::runtime {
namespace {

// In the order in which an accelerator is looked for; cpu is what is left if there is none.
constexpr const dsops_backend* kBuiltIn[] = {&kCudaBackend, &kRocmBackend, &kCpuBackend,
                                             &kEmuBackend};
constexpr std::int32_t kBuiltInCount = std::size(kBuiltIn);

// Added ones stay for ever, so reading needs no lock: the count is published after the pointer.
constexpr std::int32_t kMaxAdded = 16;
const dsops_backend* added[kMaxAdded];
std::atomic<std::int32_t> added_count{0};
std::mutex adding;

std::int32_t check_backend(const dsops_backend* backend, const char* path) {
  if (backend->abi_major != DSOPS_ABI_MAJOR) {
    return fail(DSOPS_UNSUPPORTED, "%s: made for dsops ABI %u, this libdsops has ABI %d", path,
                backend->abi_major, DSOPS_ABI_MAJOR);
  }
  if (backend->struct_size < sizeof(dsops_backend) || backend->name == nullptr) {
    return fail(DSOPS_INVALID, "%s: its backend is incomplete (%u of %zu bytes)", path,
                backend->struct_size, sizeof(dsops_backend));
  }
  const dsops_backend* same = find_backend(backend->name);
  if (same == nullptr) same = find_backend(backend->device_type);
  if (same == nullptr) return DSOPS_OK;
  return fail(DSOPS_INVALID, "%s: backend %s (device type %d) is there already: %s (%d)", path,
              backend->name, backend->device_type, same->name, same->device_type);
}

std::int32_t add_backend(void* library, const char* path) {
  const auto make = reinterpret_cast<dsops_backend_v1_function>(dlsym(library, "dsops_backend_v1"));
  if (make == nullptr) {
    return fail(DSOPS_INVALID, "%s: exports no dsops_backend_v1, so it is no backend", path);
  }
  const dsops_backend* backend = make(host());
  if (backend == nullptr) {
    const std::string reason = last_error();
    return fail(DSOPS_UNSUPPORTED, "%s: %s", path, reason.c_str());
  }
  const std::scoped_lock lock(adding);
  if (const std::int32_t status = check_backend(backend, path)) return status;
  const std::int32_t count = added_count.load();
  if (count == kMaxAdded) return fail(DSOPS_RUNTIME, "%s: %d backends are the most", path, count);
  added[count] = backend;
  added_count.store(count + 1);
  return DSOPS_OK;
}

}  // namespace

std::int32_t backend_count() {
  return kBuiltInCount + added_count.load();
}

const dsops_backend* backend_at(std::int32_t index) {
  if (index < 0 || index >= backend_count()) return nullptr;
  return index < kBuiltInCount ? kBuiltIn[index] : added[index - kBuiltInCount];
}

const dsops_backend* find_backend(std::string_view name) {
  for (std::int32_t i = 0; i < backend_count(); ++i) {
    if (backend_at(i)->name == name) return backend_at(i);
  }
  return nullptr;
}

const dsops_backend* find_backend(std::int32_t device_type) {
  for (std::int32_t i = 0; i < backend_count(); ++i) {
    if (backend_at(i)->device_type == device_type) return backend_at(i);
  }
  return nullptr;
}

std::string backend_names() {
  std::vector<std::string> names;
  for (std::int32_t i = 0; i < backend_count(); ++i) names.emplace_back(backend_at(i)->name);
  return join(names);
}

std::int32_t load_backend(const char* path) {
  if (path == nullptr) return fail(DSOPS_INVALID, "dsops_backend_load: path is NULL");
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail(DSOPS_RUNTIME, "%s", dlerror());
  const std::int32_t status = add_backend(library, path);
  if (status != DSOPS_OK) dlclose(library);
  return status;
}

}  // namespace dsops::runtime
