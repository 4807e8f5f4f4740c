// Knows memory, streams and events of a device that is the host itself: those of cpu and emu.
// Does not know kernels or images.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsops/backend.h"

namespace dsops::runtime {

/// Members of dsops_backend for a host device. All work is done when the call that asks for it
/// returns, so streams hold nothing and an event is a time.
namespace host_device {

std::int32_t device_count(std::int32_t* count);
std::int32_t memory_info(std::int32_t device, std::uint64_t* free_bytes,
                         std::uint64_t* total_bytes);
std::int32_t memory_alloc(std::int32_t device, std::size_t bytes, void** out);
std::int32_t memory_free(std::int32_t device, void* memory);
std::int32_t memory_copy(std::int32_t device, void* to, const void* from, std::size_t bytes,
                         std::int32_t direction, dsops_stream* stream);
std::int32_t stream_create(std::int32_t device, dsops_stream** out);
std::int32_t stream_destroy(std::int32_t device, dsops_stream* stream);
std::int32_t stream_synchronize(std::int32_t device, dsops_stream* stream);
std::int32_t stream_wait(std::int32_t device, dsops_stream* stream, dsops_event* event);
std::int32_t event_create(std::int32_t device, dsops_event** out);
std::int32_t event_destroy(std::int32_t device, dsops_event* event);
std::int32_t event_record(std::int32_t device, dsops_event* event, dsops_stream* stream);
std::int32_t event_synchronize(std::int32_t device, dsops_event* event);
std::int32_t event_elapsed(std::int32_t device, dsops_event* begin, dsops_event* end,
                           double* seconds);
std::int32_t synchronize(std::int32_t device);

}  // namespace host_device

/// The members of a host device's table; name, type, properties, image and launch functions are
/// given.
constexpr dsops_backend host_backend(const char* name, std::int32_t device_type,
                                     decltype(dsops_backend::device_properties) properties,
                                     decltype(dsops_backend::image_load) image_load,
                                     decltype(dsops_backend::image_unload) image_unload,
                                     decltype(dsops_backend::launch) launch) {
  return {
      .struct_size = sizeof(dsops_backend),
      .abi_major = DSOPS_ABI_MAJOR,
      .abi_minor = DSOPS_ABI_MINOR,
      .name = name,
      .device_type = device_type,
      .memory_types =
          1U << DSOPS_DEVICE_CPU | 1U << DSOPS_DEVICE_CUDA_HOST | 1U << DSOPS_DEVICE_ROCM_HOST,
      .visible_devices_variable = nullptr,
      .communication_library = "gloo",
      .device_count = &host_device::device_count,
      .device_properties = properties,
      .memory_info = &host_device::memory_info,
      .memory_alloc = &host_device::memory_alloc,
      .memory_free = &host_device::memory_free,
      .memory_copy = &host_device::memory_copy,
      .stream_create = &host_device::stream_create,
      .stream_destroy = &host_device::stream_destroy,
      .stream_synchronize = &host_device::stream_synchronize,
      .stream_wait = &host_device::stream_wait,
      .event_create = &host_device::event_create,
      .event_destroy = &host_device::event_destroy,
      .event_record = &host_device::event_record,
      .event_synchronize = &host_device::event_synchronize,
      .event_elapsed = &host_device::event_elapsed,
      .synchronize = &host_device::synchronize,
      .image_load = image_load,
      .image_unload = image_unload,
      .launch = launch,
  };
}

}  // namespace dsops::runtime
