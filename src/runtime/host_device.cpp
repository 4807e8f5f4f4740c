#include "runtime/host_device.h"

#include <sys/sysinfo.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/failure.h"

namespace dsops::runtime::host_device {
namespace {

// Of a cache line and of the widest vector.
constexpr std::size_t kAlignment = 64;

struct Event {
  bool recorded = false;
  timespec time = {};
};

Event* as_event(dsops_event* event) {
  return reinterpret_cast<Event*>(event);
}

std::int32_t check_device(std::int32_t device) {
  if (device == 0) return DSOPS_OK;
  return fail(DSOPS_INVALID, "device %d: the host is device 0, the only one", device);
}

// Runs body if the device is the host and no pointer that must be given is missing.
template <typename Body>
std::int32_t on_host(std::int32_t device, std::initializer_list<const void*> needed, Body body) {
  if (const std::int32_t status = check_device(device)) return status;
  for (const void* pointer : needed) {
    if (pointer == nullptr) return fail(DSOPS_INVALID, "a pointer that must be given is NULL");
  }
  body();
  return DSOPS_OK;
}

}  // namespace

std::int32_t device_count(std::int32_t* count) {
  return on_host(0, {count}, [&] { *count = 1; });
}

std::int32_t memory_info(std::int32_t device, std::uint64_t* free_bytes,
                         std::uint64_t* total_bytes) {
  return on_host(device, {free_bytes, total_bytes}, [&] {
    struct sysinfo info = {};
    sysinfo(&info);
    *free_bytes = std::uint64_t{info.freeram} * info.mem_unit;
    *total_bytes = std::uint64_t{info.totalram} * info.mem_unit;
  });
}

std::int32_t memory_alloc(std::int32_t device, std::size_t bytes, void** out) {
  if (const std::int32_t status = on_host(device, {out}, [] {})) return status;
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + kAlignment - 1) & ~(kAlignment - 1);
  *out = whole < bytes ? nullptr : std::aligned_alloc(kAlignment, whole);
  if (*out != nullptr) return DSOPS_OK;
  return fail(DSOPS_RUNTIME, "no memory for %zu bytes", bytes);
}

std::int32_t memory_free(std::int32_t device, void* memory) {
  return on_host(device, {}, [&] { std::free(memory); });
}

std::int32_t memory_copy(std::int32_t device, void* to, const void* from, std::size_t bytes,
                         std::int32_t direction, dsops_stream*) {
  if (direction < DSOPS_HOST_TO_DEVICE || direction > DSOPS_DEVICE_TO_DEVICE) {
    return fail(DSOPS_INVALID, "direction %d: expected DSOPS_HOST_TO_DEVICE or another one of 3",
                direction);
  }
  if (bytes == 0) return check_device(device);
  return on_host(device, {to, from}, [&] { std::memmove(to, from, bytes); });
}

// One byte, so that each stream has an address of its own.
std::int32_t stream_create(std::int32_t device, dsops_stream** out) {
  return on_host(device, {out}, [&] { *out = reinterpret_cast<dsops_stream*>(new char); });
}

std::int32_t stream_destroy(std::int32_t device, dsops_stream* stream) {
  return on_host(device, {}, [&] { delete reinterpret_cast<char*>(stream); });
}

std::int32_t stream_synchronize(std::int32_t device, dsops_stream*) {
  return check_device(device);
}

std::int32_t stream_wait(std::int32_t device, dsops_stream*, dsops_event* event) {
  return on_host(device, {event}, [] {});
}

std::int32_t event_create(std::int32_t device, dsops_event** out) {
  return on_host(device, {out}, [&] { *out = reinterpret_cast<dsops_event*>(new Event); });
}

std::int32_t event_destroy(std::int32_t device, dsops_event* event) {
  return on_host(device, {}, [&] { delete as_event(event); });
}

std::int32_t event_record(std::int32_t device, dsops_event* event, dsops_stream*) {
  return on_host(device, {event}, [&] {
    clock_gettime(CLOCK_MONOTONIC, &as_event(event)->time);
    as_event(event)->recorded = true;
  });
}

std::int32_t event_synchronize(std::int32_t device, dsops_event* event) {
  return on_host(device, {event}, [] {});
}

std::int32_t event_elapsed(std::int32_t device, dsops_event* begin, dsops_event* end,
                           double* seconds) {
  if (const std::int32_t status = on_host(device, {begin, end, seconds}, [] {})) return status;
  const Event& from = *as_event(begin);
  const Event& to = *as_event(end);
  if (!from.recorded || !to.recorded) {
    return fail(DSOPS_INVALID, "event_elapsed: an event was never recorded");
  }
  *seconds = static_cast<double>(to.time.tv_sec - from.time.tv_sec) +
             static_cast<double>(to.time.tv_nsec - from.time.tv_nsec) * 1e-9;
  return DSOPS_OK;
}

std::int32_t synchronize(std::int32_t device) {
  return check_device(device);
}

}  // namespace dsops::runtime::host_device
