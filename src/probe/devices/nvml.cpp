#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probe/devices/device_source.h"

namespace dsbuild::probe {
namespace {

// NVML's calls as its documentation describes them; nvml.h is not needed. Structs have room behind
// them: a newer library may write more than was documented.
// https://docs.nvidia.com/deploy/nvml-api/
using Handle = void*;
struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
  char room[512];
};
struct Memory {
  unsigned long long total, free, used;
  char room[512];
};
struct Utilization {
  unsigned gpu, memory;
  char room[512];
};

/// Codes that say why nothing can be asked: nvmlReturn_t.
struct CodeRow {
  int code;
  const char* status;
  const char* message;
  const char* fix;
};
constexpr std::array<CodeRow, 7> kCodes{{
    {4, "no_permission", "no permission to ask the driver",
     "let this user or container use /dev/nvidia*"},
    {9, "driver_not_loaded", "the kernel's driver is not loaded",
     "modprobe nvidia, or reboot after an update of the driver"},
    {15, "device_lost", "the GPU has fallen off the bus", "reboot; look at dmesg for Xid"},
    {16, "device_lost", "the GPU must be reset", "nvidia-smi --gpu-reset, or reboot"},
    {17, "no_permission", "the operating system or a cgroup keeps the device away",
     "give this container the device"},
    {18, "version_mismatch", "the library and the kernel's driver have different versions",
     "reboot, so that the driver that was installed is the one that runs"},
    {28, "no_devices", "the driver has no GPU that it can use", "look at dmesg for NVRM"},
}};

CodeRow describe(int code) {
  for (const CodeRow& row : kCodes) {
    if (row.code == code) return row;
  }
  return {code, "degraded", "the library refused", "look at what nvidia-smi says"};
}

/// Buffers are not always terminated by who fills them.
template <std::size_t N>
std::string text_of(const std::array<char, N>& buffer) {
  return {buffer.begin(), std::find(buffer.begin(), buffer.end(), '\0')};
}

/// The open library.
class Nvml {
 public:
  explicit Nvml(void* library) : library_(library) {}

  /// Calls the first of these functions that the library has; -1: it has none.
  template <typename... Args>
  int call(std::initializer_list<const char*> names, Args... args) const {
    for (const char* name : names) {
      if (void* function = ::dlsym(library_, name))
        return reinterpret_cast<int (*)(Args...)>(function)(args...);
    }
    return -1;
  }

 private:
  void* library_;
};

template <typename T>
Fact<T> fact_of(int code, T value, const char* source) {
  if (code == 0) return Fact<T>::known(std::move(value), source);
  if (code == -1) return Fact<T>::missing("this version of the library has no such call", source);
  if (code == 3) return Fact<T>::missing("not supported by this device", source);
  return Fact<T>::missing(fmt::format("{} (NVML code {})", describe(code).message, code), source);
}

Fact<std::vector<DevicePart>> find_parts(const Nvml& nvml, Handle device) {
  constexpr const char* kSource = "nvmlDeviceGetMigMode";
  constexpr unsigned kMostParts = 64;
  unsigned mode = 0, pending = 0, most = 0;
  const int code = nvml.call({kSource}, device, &mode, &pending);
  std::vector<DevicePart> parts;
  if (code != 0 || mode == 0) return fact_of(code, std::move(parts), kSource);
  nvml.call({"nvmlDeviceGetMaxMigDeviceCount"}, device, &most);
  for (unsigned i = 0; i < std::min(most, kMostParts); ++i) {
    Handle part = nullptr;
    if (nvml.call({"nvmlDeviceGetMigDeviceHandleByIndex"}, device, i, &part) == 0)
      parts.push_back({fmt::format("MIG {}", i), {}, {}, {}});
  }
  return fact_of(0, std::move(parts), kSource);
}

SourceDevice ask_device(const Nvml& nvml, unsigned index) {
  SourceDevice out;
  out.accelerator = "cuda";
  Handle device = nullptr;
  int code =
      nvml.call({"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}, index, &device);
  PciInfo pci{};
  if (code == 0)
    code = nvml.call({"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2"}, device, &pci);
  if (code != 0) {
    out.problem = fmt::format("device {}: {} (NVML code {})", index, describe(code).message, code);
    return out;
  }
  out.address = fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
  constexpr unsigned kRoom = 256;
  std::array<char, kRoom> text{};
  code = nvml.call({"nvmlDeviceGetName"}, device, text.data(), kRoom);
  out.name = fact_of(code, text_of(text), "nvmlDeviceGetName");
  text = {};
  code = nvml.call({"nvmlDeviceGetUUID"}, device, text.data(), kRoom);
  out.uuid = fact_of(code, text_of(text), "nvmlDeviceGetUUID");
  int major = 0, minor = 0;
  code = nvml.call({"nvmlDeviceGetCudaComputeCapability"}, device, &major, &minor);
  out.arch =
      fact_of(code, fmt::format("sm_{}{}", major, minor), "nvmlDeviceGetCudaComputeCapability");
  Memory memory{};
  code = nvml.call({"nvmlDeviceGetMemoryInfo"}, device, &memory);
  out.memory = fact_of(code, static_cast<std::int64_t>(memory.total), "nvmlDeviceGetMemoryInfo");
  out.parts = find_parts(nvml, device);
  unsigned power = 0;
  code = nvml.call({"nvmlDeviceGetPowerUsage"}, device, &power);
  out.power = fact_of<std::int64_t>(code, power, "nvmlDeviceGetPowerUsage");
  unsigned long long energy = 0;
  code = nvml.call({"nvmlDeviceGetTotalEnergyConsumption"}, device, &energy);
  out.energy =
      fact_of(code, static_cast<std::int64_t>(energy), "nvmlDeviceGetTotalEnergyConsumption");
  Utilization use{};
  code = nvml.call({"nvmlDeviceGetUtilizationRates"}, device, &use);
  out.utilization = fact_of<std::int64_t>(code, use.gpu, "nvmlDeviceGetUtilizationRates");
  return out;
}

void set_status(SourceReport& report, const char* status, std::string message, std::string fix) {
  report.status = status;
  report.message = std::move(message);
  report.fix = std::move(fix);
  if (!report.driver_version && report.driver_version.reason.empty())
    report.driver_version.reason = report.message;
}

}  // namespace

SourceReport ask_nvml(const char* path) {
  SourceReport report;
  void* library = ::dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    set_status(report, "library_missing", ::dlerror(), "reinstall NVIDIA's driver");
    return report;
  }
  const Nvml nvml(library);
  int code = nvml.call({"nvmlInit_v2", "nvmlInit"});
  constexpr unsigned kMostDevices = 1024;
  unsigned count = 0;
  if (code == 0) code = nvml.call({"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}, &count);
  if (code == -1) {
    set_status(report, "symbol_missing", "the library lacks nvmlInit or nvmlDeviceGetCount",
               "reinstall NVIDIA's driver: this file is not NVIDIA's, or damaged");
    return report;
  }
  if (code != 0) {
    const CodeRow row = describe(code);
    set_status(report, row.status, fmt::format("{} (NVML code {})", row.message, code), row.fix);
    return report;
  }
  std::array<char, 256> version{};
  code = nvml.call({"nvmlSystemGetDriverVersion"}, version.data(), 256U);
  report.driver_version = fact_of(code, text_of(version), "nvmlSystemGetDriverVersion");
  if (count > kMostDevices) {
    set_status(report, "degraded", fmt::format("the library counts {} devices", count),
               "reinstall NVIDIA's driver: this file is not NVIDIA's, or damaged");
    return report;
  }
  std::size_t bad = 0;
  for (unsigned i = 0; i < count; ++i) {
    report.devices.push_back(ask_device(nvml, i));
    if (!report.devices.back().problem.empty()) ++bad;
  }
  if (bad > 0) {
    set_status(report, "degraded", fmt::format("{} of {} devices can't be asked", bad, count),
               "look at what nvidia-smi says of them");
  } else if (count == 0) {
    set_status(report, "no_devices", "the library has no device", "look at dmesg for NVRM");
  } else {
    set_status(report, "ok", "", "");
  }
  return report;
}

}  // namespace dsbuild::probe
