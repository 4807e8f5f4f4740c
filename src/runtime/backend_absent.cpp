// The tables of the accelerators whose functions are not in this version of libdsops: every one of
// them says so.
#include "runtime/backends.h"
#include "runtime/failure.h"

namespace dsops::runtime {
namespace {

constexpr const char* kNames[] = {"cuda", "rocm"};

template <int kName, typename... Arguments>
std::int32_t absent(Arguments...) {
  return fail(DSOPS_UNSUPPORTED, "%s: not in this version of libdsops", kNames[kName]);
}

template <int kName>
constexpr dsops_backend absent_backend(std::int32_t device_type, std::uint32_t memory_types,
                                       const char* visible_devices, const char* communication) {
  return {
      .struct_size = sizeof(dsops_backend),
      .abi_major = DSOPS_ABI_MAJOR,
      .abi_minor = DSOPS_ABI_MINOR,
      .name = kNames[kName],
      .device_type = device_type,
      .memory_types = memory_types,
      .visible_devices_variable = visible_devices,
      .communication_library = communication,
      .device_count = &absent<kName>,
      .device_properties = &absent<kName>,
      .memory_info = &absent<kName>,
      .memory_alloc = &absent<kName>,
      .memory_free = &absent<kName>,
      .memory_copy = &absent<kName>,
      .stream_create = &absent<kName>,
      .stream_destroy = &absent<kName>,
      .stream_synchronize = &absent<kName>,
      .stream_wait = &absent<kName>,
      .event_create = &absent<kName>,
      .event_destroy = &absent<kName>,
      .event_record = &absent<kName>,
      .event_synchronize = &absent<kName>,
      .event_elapsed = &absent<kName>,
      .synchronize = &absent<kName>,
      .image_load = &absent<kName>,
      .image_unload = &absent<kName>,
      .launch = &absent<kName>,
  };
}

}  // namespace

constexpr dsops_backend kCudaBackend = absent_backend<0>(
    DSOPS_DEVICE_CUDA,
    1U << DSOPS_DEVICE_CUDA | 1U << DSOPS_DEVICE_CUDA_HOST | 1U << DSOPS_DEVICE_CUDA_MANAGED,
    "CUDA_VISIBLE_DEVICES", "nccl");

constexpr dsops_backend kRocmBackend =
    absent_backend<1>(DSOPS_DEVICE_ROCM, 1U << DSOPS_DEVICE_ROCM | 1U << DSOPS_DEVICE_ROCM_HOST,
                      "HIP_VISIBLE_DEVICES", "rccl");

}  // namespace dsops::runtime
