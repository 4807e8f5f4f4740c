// The emu backend: GPU kernels, compiled for this host, whose blocks run on host threads.
#include <cstdio>
#include <mutex>

#include "runtime/backends.h"
#include "runtime/emu_block.h"
#include "runtime/failure.h"
#include "runtime/float_mode.h"
#include "runtime/host.h"
#include "runtime/host_device.h"
#include "runtime/image_file.h"
#include "runtime/pool.h"
#include "runtime/ranges.h"
#include "runtime/system.h"

namespace dsops::runtime {
namespace {

// What CUDA and HIP allow too.
constexpr std::int32_t kMaxThreadsPerBlock = 1024;

struct Job {
  EmuLaunch launch;
  Ranges blocks;
  std::mutex mutex;
  std::int64_t failed_range = -1;  // the first one, so that the text does not depend on threads
  std::string problem;
};

void run_range(void* context, std::int64_t range) {
  Job& job = *static_cast<Job*>(context);
  std::string problem;
  try {
    const DefaultFloatMode mode;
    static thread_local EmuBlock block;  // its stacks take a millisecond to make
    for (std::int64_t i = job.blocks.begin(range); i < job.blocks.begin(range + 1); ++i) {
      problem = block.run(job.launch, i);
      if (!problem.empty()) break;
    }
  } catch (const std::bad_alloc&) {
    problem = "no memory";
  }
  if (problem.empty()) return;
  const std::scoped_lock lock(job.mutex);
  if (job.failed_range >= 0 && job.failed_range < range) return;
  job.failed_range = range;
  job.problem = std::move(problem);
}

std::int32_t launch(const dsops_exec* exec, const dsops_launch* request) {
  return guard([&] {
    void* kernel = nullptr;
    if (const std::int32_t status = find_kernel(exec, *request, &kernel)) return status;
    if (request->threads_per_block < 1 || request->threads_per_block > kMaxThreadsPerBlock) {
      return exec->host->fail(exec, DSOPS_INVALID,
                              "%s: threads_per_block: expected 1 to %d, got %d", request->kernel,
                              kMaxThreadsPerBlock, request->threads_per_block);
    }
    Job job;
    const std::int64_t blocks = split(request->items, request->items_per_block, 1, 1).blocks;
    job.blocks = split(blocks, 1, 1, exec->num_threads);
    job.launch.kernel = reinterpret_cast<dsops_emu_kernel>(kernel);
    job.launch.enter = reinterpret_cast<dsops_emu_enter_function>(
        find_symbol(*as_file(exec->image), "dsops_emu_enter"));
    job.launch.args = request->args;
    job.launch.block_count = blocks;
    job.launch.block_size = request->threads_per_block;
    parallel_for(exec, job.blocks.count, &run_range, &job);
    if (job.failed_range < 0) return std::int32_t{DSOPS_OK};
    return exec->host->fail(exec, DSOPS_RUNTIME, "%s: %s", request->kernel, job.problem.c_str());
  });
}

std::int32_t properties(std::int32_t device, dsops_device_properties* out) {
  dsops_device_properties value = {};
  std::uint64_t free_bytes = 0;
  if (const auto status = host_device::memory_info(device, &free_bytes, &value.total_memory)) {
    return status;
  }
  value.dtypes = (DSOPS_BOOL8 << 1) - 1;
  value.compute_units = Pool::instance().size();
  value.max_threads_per_block = kMaxThreadsPerBlock;
  std::snprintf(value.name, sizeof value.name, "GPU emulated on the host");
  std::snprintf(value.arch, sizeof value.arch, "%s", kMachine);
  give_struct(value, out);
  return DSOPS_OK;
}

std::int32_t image_load(std::int32_t device, const char* folder, dsops_image** out) {
  return guard([&] {
    if (const std::int32_t status = host_device::synchronize(device)) return status;
    *out = nullptr;
    const std::string path = std::string(folder) + "/" + kMachine + ".so";
    if (!file_exists(path)) {
      return fail(DSOPS_UNSUPPORTED, "no emu image of %s is for this host's %s: it has %s", folder,
                  kMachine, join(list_folder(folder)).c_str());
    }
    ImageFile* file = nullptr;
    if (const std::int32_t status = load_image_file(path, &file)) return status;
    *out = as_image(file);
    if (find_symbol(*file, "dsops_emu_enter") != nullptr) return std::int32_t{DSOPS_OK};
    unload_image_file(*out);
    *out = nullptr;
    return fail(DSOPS_INVALID, "%s: exports no dsops_emu_enter, so it is no emu image",
                path.c_str());
  });
}

}  // namespace

constexpr dsops_backend kEmuBackend =
    host_backend("emu", DSOPS_DEVICE_EMU, &properties, &image_load, &unload_image_file, &launch);

}  // namespace dsops::runtime
