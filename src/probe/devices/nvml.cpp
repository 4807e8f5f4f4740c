#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "probe/devices/open_library.h"

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
/// Of nvmlDeviceGetComputeRunningProcesses_v2 and _v3; the first version ends after `memory`.
struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
struct OldProcess {
  unsigned pid;
  unsigned long long memory;
};
struct ProcessSample {
  unsigned pid;
  unsigned long long time;
  unsigned sm, memory, encoder, decoder;
};
constexpr unsigned long long kNotAvailable = ~0ULL;
constexpr int kInsufficientSize = 7;
constexpr unsigned kMostProcesses = 1024;
constexpr unsigned kMostParts = 64;

/// nvmlReturn_t
constexpr std::array<CodeRow, 8> kCodes{{
    {4, "no_permission", "no permission to ask the driver",
     "let this user or container use /dev/nvidia*"},
    {9, "driver_not_loaded", "the kernel's driver is not loaded",
     "modprobe nvidia, or reboot after an update of the driver"},
    {12, "driver_not_loaded", "a library of the driver is missing, as with a toolkit's stub",
     "install the driver; a container gets it from its host"},
    {15, "device_lost", "the GPU has fallen off the bus", "reboot; look at dmesg for Xid"},
    {16, "device_lost", "the GPU must be reset", "nvidia-smi --gpu-reset, or reboot"},
    {17, "no_permission", "the operating system or a cgroup keeps the device away",
     "give this container the device"},
    {18, "version_mismatch", "the library and the kernel's driver have different versions",
     "reboot, so that the driver that was installed is the one that runs"},
    {28, "no_devices", "the driver has no GPU that it can use", "look at dmesg for NVRM"},
}};

/// NVIDIA's management library, below every CUDA driver. It sees all devices, whatever
/// CUDA_VISIBLE_DEVICES says.
class Nvml final : public DeviceSource {
 public:
  explicit Nvml(std::string path) : path_(std::move(path)) {}

  std::string_view id() const override { return "nvidia/nvml"; }
  std::string_view type() const override { return "cuda"; }

  SourceStatus load() override {
    if (const std::string problem = library_.open(path_); !problem.empty())
      return unusable("library_missing", problem, "reinstall NVIDIA's driver");
    int code = library_.call({"nvmlInit_v2", "nvmlInit"});
    count_ = 0;
    if (code == 0) code = library_.call({"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}, &count_);
    if (code != 0) return library_.refused(code);
    if (count_ > kMostDevices) return library_.too_many(count_);
    return {};
  }
  void unload() override { library_.call({"nvmlShutdown"}); }

  Fact<std::string> driver_version() override {
    Text text{};
    const int code = library_.call({"nvmlSystemGetDriverVersion"}, text.data(), kRoom);
    return library_.fact(code, text_of(text), "nvmlSystemGetDriverVersion");
  }
  Fact<std::string> api_version() override {
    int version = 0;
    const int code = library_.call(
        {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"}, &version);
    return library_.fact(code, fmt::format("{}.{}", version / 1000, version % 1000 / 10),
                         "nvmlSystemGetCudaDriverVersion");
  }

  std::vector<SourceDevice> devices() override {
    std::vector<SourceDevice> list;
    handles_.assign(count_, nullptr);
    for (unsigned i = 0; i < count_; ++i) list.push_back(identify(i));
    return list;
  }

  Fact<std::vector<DevicePart>> parts(std::size_t place) override {
    constexpr const char* kSource = "nvmlDeviceGetMigMode";
    unsigned mode = 0, pending = 0, most = 0;
    std::vector<DevicePart> list;
    const int code = library_.call({kSource}, handles_[place], &mode, &pending);
    if (code != 0 || mode == 0) return library_.fact(code, std::move(list), kSource);
    library_.call({"nvmlDeviceGetMaxMigDeviceCount"}, handles_[place], &most);
    for (unsigned i = 0; i < std::min(most, kMostParts); ++i) {
      Handle part = nullptr;
      if (library_.call({"nvmlDeviceGetMigDeviceHandleByIndex"}, handles_[place], i, &part) == 0)
        list.push_back(
            {fmt::format("MIG {}", i), uuid_of(part), name_of(part), total_memory(part)});
    }
    return library_.fact(0, std::move(list), "nvmlDeviceGetMigDeviceHandleByIndex");
  }

  Fact<std::int64_t> memory_used(std::size_t place) override {
    Memory memory{};
    const int code = library_.call({"nvmlDeviceGetMemoryInfo"}, handles_[place], &memory);
    return library_.fact(code, static_cast<std::int64_t>(memory.used), "nvmlDeviceGetMemoryInfo");
  }
  Fact<std::int64_t> power(std::size_t place) override {
    unsigned power = 0;
    const int code = library_.call({"nvmlDeviceGetPowerUsage"}, handles_[place], &power);
    return library_.fact<std::int64_t>(code, power, "nvmlDeviceGetPowerUsage");
  }
  Fact<std::int64_t> energy(std::size_t place) override {
    constexpr const char* kSource = "nvmlDeviceGetTotalEnergyConsumption";
    unsigned long long energy = 0;
    const int code = library_.call({kSource}, handles_[place], &energy);
    return library_.fact(code, static_cast<std::int64_t>(energy), kSource);
  }
  Fact<std::int64_t> utilization(std::size_t place) override {
    Utilization use{};
    const int code = library_.call({"nvmlDeviceGetUtilizationRates"}, handles_[place], &use);
    return library_.fact<std::int64_t>(code, use.gpu, "nvmlDeviceGetUtilizationRates");
  }

  Fact<std::vector<ProcessUse>> processes(std::size_t place) override {
    Fact<std::vector<ProcessUse>> list = read_processes<Process>(
        handles_[place],
        {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
    if (!list && list.reason.empty())
      list = read_processes<OldProcess>(handles_[place], {"nvmlDeviceGetComputeRunningProcesses"});
    if (!list && list.reason.empty())
      return library_.fact(kNoCall, std::vector<ProcessUse>(), list.source.c_str());
    if (list && !list->empty()) add_samples(handles_[place], *list.value);
    return list;
  }

 private:
  SourceDevice identify(unsigned index) {
    SourceDevice out;
    Handle& device = handles_[index];
    int code = library_.call({"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}, index,
                             &device);
    PciInfo pci{};
    if (code == 0)
      code = library_.call({"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2"}, device, &pci);
    if (code != 0) {
      out.problem = fmt::format("device {}: {}", index, library_.describe(code));
      return out;
    }
    out.address = fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
    out.name = name_of(device);
    out.uuid = uuid_of(device);
    out.memory = total_memory(device);
    constexpr const char* kCapability = "nvmlDeviceGetCudaComputeCapability";
    int major = 0, minor = 0;
    code = library_.call({kCapability}, device, &major, &minor);
    out.arch = library_.fact(code, fmt::format("sm_{}{}", major, minor), kCapability);
    return out;
  }

  Fact<std::string> name_of(Handle device) const {
    Text text{};
    const int code = library_.call({"nvmlDeviceGetName"}, device, text.data(), kRoom);
    return library_.fact(code, text_of(text), "nvmlDeviceGetName");
  }
  Fact<std::string> uuid_of(Handle device) const {
    Text text{};
    const int code = library_.call({"nvmlDeviceGetUUID"}, device, text.data(), kRoom);
    return library_.fact(code, text_of(text), "nvmlDeviceGetUUID");
  }
  Fact<std::int64_t> total_memory(Handle device) const {
    Memory memory{};
    const int code = library_.call({"nvmlDeviceGetMemoryInfo"}, device, &memory);
    return library_.fact(code, static_cast<std::int64_t>(memory.total), "nvmlDeviceGetMemoryInfo");
  }

  /// Missing without a reason where the library has none of these calls. For a while _v3 wrote
  /// larger entries: then what lies behind ours is written, too, and nothing is believed.
  template <typename Entry>
  Fact<std::vector<ProcessUse>> read_processes(Handle device,
                                               std::initializer_list<const char*> calls) const {
    constexpr unsigned char kMark = 0xa5;
    const char* source = *calls.begin();
    std::vector<unsigned char> bytes(kMostProcesses * 2 * sizeof(Entry), kMark);
    unsigned count = kMostProcesses;
    const int code = library_.call(calls, device, &count, bytes.data());
    if (code == kNoCall) return Fact<std::vector<ProcessUse>>::missing("", source);
    std::vector<ProcessUse> list;
    if (code != 0 && code != kInsufficientSize) return library_.fact(code, std::move(list), source);
    const std::size_t size = sizeof(Entry) * std::min(count, kMostProcesses);
    if (code == kInsufficientSize || count > kMostProcesses ||
        std::any_of(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(),
                    [](unsigned char byte) { return byte != kMark; }))
      return Fact<std::vector<ProcessUse>>::missing("the library lists them in an unknown form",
                                                    source);
    for (std::size_t at = 0; at < size; at += sizeof(Entry)) {
      Entry entry{};
      std::memcpy(&entry, bytes.data() + at, sizeof(Entry));
      ProcessUse use;
      use.pid = entry.pid;
      use.memory = entry.memory == kNotAvailable
                       ? Fact<std::int64_t>::missing("the driver doesn't tell it", source)
                       : Fact<std::int64_t>::known(static_cast<std::int64_t>(entry.memory), source);
      list.push_back(std::move(use));
    }
    return Fact<std::vector<ProcessUse>>::known(std::move(list), source);
  }

  /// How much each process used the device, where the driver sampled it (never for MIG).
  void add_samples(Handle device, std::vector<ProcessUse>& list) const {
    constexpr const char* kSource = "nvmlDeviceGetProcessUtilization";
    std::vector<ProcessSample> samples(kMostProcesses);
    unsigned count = kMostProcesses;
    const int code = library_.call({kSource}, device, samples.data(), &count, 0ULL);
    for (ProcessUse& use : list) {
      use.utilization = Fact<std::int64_t>::missing("no sample of it", kSource);
      if (code == kNoCall) use.utilization = library_.fact<std::int64_t>(code, 0, kSource);
      for (unsigned i = 0; code == 0 && i < std::min(count, kMostProcesses); ++i) {
        if (samples[i].pid == use.pid)
          use.utilization = Fact<std::int64_t>::known(samples[i].sm, kSource);
      }
    }
  }

  std::string path_;
  OpenLibrary library_{"NVML", kCodes, 3};
  unsigned count_ = 0;
  std::vector<Handle> handles_;
};

}  // namespace

std::unique_ptr<DeviceSource> make_nvml(const SourceScene& scene) {
  return std::make_unique<Nvml>(scene.library);
}

}  // namespace dsbuild::probe
