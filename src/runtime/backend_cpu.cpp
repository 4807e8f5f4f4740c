// The cpu backend: kernels are functions over a range of items, in a shared library per CPU level.
#include <cstdio>

#include "runtime/backends.h"
#include "runtime/cpu_image.h"
#include "runtime/failure.h"
#include "runtime/float_mode.h"
#include "runtime/host.h"
#include "runtime/host_device.h"
#include "runtime/pool.h"
#include "runtime/ranges.h"

namespace dsops::runtime {
namespace {

using Kernel = void (*)(const void* args, std::int64_t begin, std::int64_t end);

struct Job {
  Kernel kernel;
  const void* args;
  Ranges ranges;
};

void run_range(void* context, std::int64_t range) {
  const Job& job = *static_cast<const Job*>(context);
  const DefaultFloatMode mode;
  job.kernel(job.args, job.ranges.begin(range), job.ranges.begin(range + 1));
}

std::int32_t launch(const dsops_exec* exec, const dsops_launch* request) {
  void* kernel = nullptr;
  if (const std::int32_t status = find_kernel(exec, *request, &kernel)) return status;
  Job job{reinterpret_cast<Kernel>(kernel), request->args,
          split(request->items, request->items_per_block, request->grain, exec->num_threads)};
  parallel_for(exec, job.ranges.count, &run_range, &job);
  return DSOPS_OK;
}

std::int32_t properties(std::int32_t device, dsops_device_properties* out) {
  return guard([&] {
    dsops_device_properties value = {};
    std::uint64_t free_bytes = 0;
    if (const auto status = host_device::memory_info(device, &free_bytes, &value.total_memory)) {
      return status;
    }
    CpuTarget target;
    if (const std::int32_t status = find_cpu_target(target)) return status;
    value.dtypes = (DSOPS_BOOL8 << 1) - 1;
    value.compute_units = Pool::instance().size();
    std::snprintf(value.name, sizeof value.name, "%s", target.brand.c_str());
    std::snprintf(value.arch, sizeof value.arch, "%s", target.arch.c_str());
    give_struct(value, out);
    return std::int32_t{DSOPS_OK};
  });
}

std::int32_t image_load(std::int32_t device, const char* folder, dsops_image** out) {
  return guard([&] {
    if (const std::int32_t status = host_device::synchronize(device)) return status;
    CpuTarget target;
    if (const std::int32_t status = find_cpu_target(target)) return status;
    ImageFile* file = nullptr;
    const std::int32_t status = load_cpu_image(target, folder, &file);
    *out = as_image(file);
    return status;
  });
}

}  // namespace

constexpr dsops_backend kCpuBackend =
    host_backend("cpu", DSOPS_DEVICE_CPU, &properties, &image_load, &unload_image_file, &launch);

}  // namespace dsops::runtime
