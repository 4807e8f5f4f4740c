// A libnvidia-ml.so.1 for tests. Built with OLD it has only the first versions of the calls.
#include "fake_machine.h"

namespace {

const fake::Source& source() {
  static const fake::Source kSource("nvidia/nvml", "cuda");
  return kSource;
}

constexpr int kInvalidArgument = 2, kNotSupported = 3, kNotFound = 6, kInsufficientSize = 7;
constexpr unsigned kMostParts = 7;

/// A handle is the device's and the part's number: 8 * (device + 1) + part, 0 for the whole device.
void* make_handle(std::size_t device, std::size_t part) {
  return reinterpret_cast<void*>(8 * (device + 1) + part);
}
std::size_t part_of(void* handle) {
  return reinterpret_cast<std::size_t>(handle) % 8;
}
const fake::Json& parent(void* handle) {
  return source().device(reinterpret_cast<std::size_t>(handle) / 8 - 1);
}
fake::Json parts(void* handle) {
  return fake::fact<fake::Json>(parent(handle), "parts").value_or(fake::Json::array());
}
fake::Json object(void* handle) {
  return part_of(handle) == 0 ? parent(handle) : parts(handle).at(part_of(handle) - 1);
}

template <typename T, typename Out>
int give(void* handle, const char* key, Out* out) {
  return fake::give<T>(object(handle), key, out, kNotSupported);
}

int give_text(void* handle, const char* key, char* buffer, unsigned size) {
  const auto text = fake::fact<std::string>(object(handle), key);
  if (!text) return kNotSupported;
  source().give_text(*text, buffer, size);
  return 0;
}

int handle_by_index(unsigned index, void** out) {
  if (index >= source().size()) return kInvalidArgument;
  *out = make_handle(index, 0);
  return source().code(index);
}

int count(unsigned* out) {
  *out = source().count();
  return 0;
}

struct PciInfo {
  char legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
};

int pci_info(void* handle, PciInfo* out) {
  const fake::Address address = fake::address_of(parent(handle));
  const fake::PciId id = fake::pci_id_of(parent(handle));
  std::snprintf(out->legacy, sizeof out->legacy, "%04x:%02x:%02x.0", address.domain & 0xffff,
                address.bus & 0xff, address.device & 0x1f);
  out->domain = address.domain;
  out->bus = address.bus;
  out->device = address.device;
  out->device_id = id.device << 16 | id.vendor;
  out->subsystem_id = 0;
  return 0;
}

}  // namespace

#ifdef OLD
EXPORT int nvmlInit() {
  return source().init();
}
EXPORT int nvmlDeviceGetCount(unsigned* out) {
  return count(out);
}
EXPORT int nvmlDeviceGetHandleByIndex(unsigned i, void** out) {
  return handle_by_index(i, out);
}
EXPORT int nvmlDeviceGetPciInfo_v2(void* handle, PciInfo* out) {
  return pci_info(handle, out);
}
#else
namespace {
struct PciInfo3 {
  PciInfo old;
  char bus_id[32];
};
struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
struct Attributes {
  unsigned counts[8];
  unsigned long long memory_mib;
};
}  // namespace

EXPORT int nvmlInit_v2() {
  return source().init();
}
EXPORT int nvmlInitWithFlags(unsigned) {
  return source().init();
}
EXPORT int nvmlDeviceGetCount_v2(unsigned* out) {
  return count(out);
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** out) {
  return handle_by_index(i, out);
}
EXPORT int nvmlDeviceGetPciInfo_v3(void* handle, PciInfo3* out) {
  const fake::Address address = fake::address_of(parent(handle));
  std::snprintf(out->bus_id, sizeof out->bus_id, "%08x:%02x:%02x.0", address.domain,
                address.bus & 0xff, address.device & 0x1f);
  return pci_info(handle, &out->old);
}
EXPORT int nvmlSystemGetCudaDriverVersion_v2(int* out) {
  const auto version = fake::api_version_of(source());
  if (version) *out = *version;
  return version ? 0 : kNotFound;
}
EXPORT int nvmlDeviceGetPowerUsage(void* handle, unsigned* out) {
  return give<std::int64_t>(handle, "power", out);
}
EXPORT int nvmlDeviceGetTotalEnergyConsumption(void* handle, unsigned long long* out) {
  return give<std::int64_t>(handle, "energy", out);
}
/// Of the device, then of its memory.
EXPORT int nvmlDeviceGetUtilizationRates(void* handle, unsigned* out) {
  out[1] = 0;
  return give<std::int64_t>(handle, "utilization", out);
}
EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(void* handle, unsigned* count, Process* out) {
  const auto list = fake::fact<fake::Json>(object(handle), "processes");
  if (!list) return kNotSupported;
  const unsigned room = *count;
  *count = static_cast<unsigned>(list->size());
  if (room < *count) return kInsufficientSize;
  for (const fake::Json& process : *list) {
    const auto memory = fake::fact<std::int64_t>(process, "memory");
    *out++ = {process.at("pid").get<unsigned>(),
              memory ? static_cast<unsigned long long>(*memory) : ~0ULL, ~0U, ~0U};
  }
  return 0;
}
EXPORT int nvmlDeviceGetMigMode(void* handle, unsigned* mode, unsigned* pending) {
  *mode = *pending = parts(handle).empty() ? 0 : 1;
  return 0;
}
EXPORT int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* out) {
  *out = kMostParts;
  return 0;
}
EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(void* handle, unsigned i, void** out) {
  if (i >= parts(handle).size()) return kNotFound;
  *out = make_handle(reinterpret_cast<std::size_t>(handle) / 8 - 1, i + 1);
  return 0;
}
/// Of parts only.
EXPORT int nvmlDeviceGetAttributes_v2(void* handle, Attributes* out) {
  if (part_of(handle) == 0) return kInvalidArgument;
  *out = {};
  const int code = give<std::int64_t>(handle, "memory", &out->memory_mib);
  out->memory_mib >>= 20;
  return code;
}
#endif
EXPORT int nvmlShutdown() {
  return 0;
}
EXPORT const char* nvmlErrorString(int code) {
  static thread_local char text[32];
  std::snprintf(text, sizeof text, "NVML code %d", code);
  return text;
}
EXPORT int nvmlSystemGetDriverVersion(char* buffer, unsigned size) {
  const auto version = fake::fact<std::string>(source().self(), "driver_version");
  if (!version) return kNotSupported;
  source().give_text(*version, buffer, size);
  return 0;
}
EXPORT int nvmlDeviceGetName(void* handle, char* buffer, unsigned size) {
  return give_text(handle, "name", buffer, size);
}
EXPORT int nvmlDeviceGetUUID(void* handle, char* buffer, unsigned size) {
  return give_text(handle, "uuid", buffer, size);
}
EXPORT int nvmlDeviceGetCudaComputeCapability(void* handle, int* major, int* minor) {
  const int capability = fake::capability_of(parent(handle));
  *major = capability / 10;
  *minor = capability % 10;
  return capability == 0 ? kNotSupported : 0;
}
/// Total, free, used.
EXPORT int nvmlDeviceGetMemoryInfo(void* handle, unsigned long long* out) {
  out[2] = 0;
  give<std::int64_t>(handle, "memory_used", &out[2]);
  const int code = give<std::int64_t>(handle, "memory", &out[0]);
  out[1] = code == 0 ? out[0] - out[2] : 0;
  return code;
}
