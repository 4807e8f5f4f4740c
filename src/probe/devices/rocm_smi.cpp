#include <array>
#include <map>

#include "probe/devices/open_library.h"

namespace dsbuild::probe {
namespace {

// The calls that ROCm SMI has had since ROCm 5, as rocm_smi.h of Debian's librocm-smi-dev declares
// them. The version that it tells says nothing: 5.2 and 7.2 both say 1.
// https://rocm.docs.amd.com/projects/rocm_smi_lib/
struct Process {
  std::uint32_t pid, pasid;
  std::uint64_t memory, sdma;
  std::uint32_t occupancy;
};
static_assert(sizeof(Process) == 32);
constexpr int kVideoMemory = 0;        // RSMI_MEM_TYPE_VRAM
constexpr std::uint32_t kAverage = 0;  // the sensor
constexpr unsigned kMostProcesses = 1024;

/// rsmi_status_t
constexpr std::array<CodeRow, 6> kCodes{{
    {3, "degraded", "a file of the driver can't be read", "look at dmesg for amdgpu"},
    {4, "no_permission", "no permission to read the driver's files",
     "add this user to the groups render and video"},
    {6, "degraded", "the library failed inside", "look at dmesg for amdgpu"},
    {8, "no_devices", "the library finds no device of AMD's driver",
     "modprobe amdgpu; give a container /dev/kfd and /dev/dri"},
    {10, "degraded", "there is no such thing", "look at dmesg for amdgpu"},
    {16, "degraded", "the driver is busy", "ask again"},
}};

class RocmSmi final : public DeviceSource {
 public:
  explicit RocmSmi(std::string path) : path_(std::move(path)) {}

  std::string_view id() const override { return "amd/rocm_smi"; }
  std::string_view type() const override { return "rocm"; }

  SourceStatus load() override {
    if (const std::string problem = library_.open(path_); !problem.empty())
      return unusable("library_missing", problem, "reinstall ROCm SMI");
    int code = library_.call({"rsmi_init"}, std::uint64_t{0});
    count_ = 0;
    if (code == 0) code = library_.call({"rsmi_num_monitor_devices"}, &count_);
    if (code != 0) return library_.refused(code);
    if (count_ > kMostDevices) return library_.too_many(count_);
    read_processes();
    return {};
  }
  void unload() override { library_.call({"rsmi_shut_down"}); }

  Fact<std::string> driver_version() override {
    constexpr const char* kSource = "rsmi_version_str_get";
    Text text{};
    const int code = library_.call({kSource}, 0, text.data(), std::uint32_t{kRoom});
    return library_.fact(code, text_of(text), kSource);
  }

  std::vector<SourceDevice> devices() override {
    std::vector<SourceDevice> list;
    for (std::uint32_t i = 0; i < count_; ++i) list.push_back(identify(i));
    return list;
  }

  Fact<std::int64_t> memory_used(std::size_t place) override {
    return number("rsmi_dev_memory_usage_get", index(place), kVideoMemory);
  }
  Fact<std::int64_t> power(std::size_t place) override {
    constexpr std::int64_t kMicrowatts = 1000;  // in a mW
    Fact<std::int64_t> power = number("rsmi_dev_power_ave_get", index(place), kAverage);
    if (power) *power.value /= kMicrowatts;
    return power;
  }
  Fact<std::int64_t> energy(std::size_t place) override {
    constexpr const char* kSource = "rsmi_dev_energy_count_get";
    std::uint64_t count = 0, time = 0;
    float resolution = 0;  // in microjoules
    const int code = library_.call({kSource}, index(place), &count, &resolution, &time);
    const double microjoules = static_cast<double>(count) * static_cast<double>(resolution);
    return library_.fact(code, static_cast<std::int64_t>(microjoules / 1e3), kSource);
  }
  Fact<std::int64_t> utilization(std::size_t place) override {
    constexpr const char* kSource = "rsmi_dev_busy_percent_get";
    std::uint32_t percent = 0;
    const int code = library_.call({kSource}, index(place), &percent);
    return library_.fact<std::int64_t>(code, percent, kSource);
  }
  Fact<std::vector<ProcessUse>> processes(std::size_t place) override {
    std::vector<ProcessUse> list;
    const auto found = processes_.find(index(place));
    if (found != processes_.end()) list = found->second;
    return library_.fact(processes_code_, std::move(list), "rsmi_compute_process_info_get");
  }

 private:
  static std::uint32_t index(std::size_t place) { return static_cast<std::uint32_t>(place); }

  template <typename... Args>
  Fact<std::int64_t> number(const char* call, Args... args) const {
    std::uint64_t value = 0;
    const int code = library_.call({call}, args..., &value);
    return library_.fact(code, static_cast<std::int64_t>(value), call);
  }

  SourceDevice identify(std::uint32_t device) const {
    SourceDevice out;
    std::uint64_t place = 0;  // domain << 32 | bus << 8 | device << 3 | function
    int code = library_.call({"rsmi_dev_pci_id_get"}, device, &place);
    if (code != 0) {
      out.problem = fmt::format("device {}: {}", device, library_.describe(code));
      return out;
    }
    out.address = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", place >> 32, place >> 8 & 0xff,
                              place >> 3 & 0x1f, place & 7);
    Text text{};
    code = library_.call({"rsmi_dev_name_get"}, device, text.data(), std::size_t{kRoom});
    out.name = library_.fact(code, text_of(text), "rsmi_dev_name_get");
    std::uint64_t unique = 0;
    code = library_.call({"rsmi_dev_unique_id_get"}, device, &unique);
    out.uuid = library_.fact(code, fmt::format("GPU-{:016x}", unique), "rsmi_dev_unique_id_get");
    out.memory = number("rsmi_dev_memory_total_get", device, kVideoMemory);
    return out;
  }

  /// Processes are told for all devices together, then the devices of each. Their memory is that
  /// of all devices, so only a process of one device has it.
  void read_processes() {
    constexpr const char* kSource = "rsmi_compute_process_info_get";
    processes_.clear();
    std::vector<Process> list(kMostProcesses);
    std::uint32_t count = kMostProcesses;
    processes_code_ = library_.call({kSource}, list.data(), &count);
    if (processes_code_ != 0) return;
    list.resize(std::min(count, kMostProcesses));
    for (const Process& process : list) {
      std::vector<std::uint32_t> devices(kMostDevices);
      std::uint32_t used = kMostDevices;
      if (library_.call({"rsmi_compute_process_gpus_get"}, process.pid, devices.data(), &used) != 0)
        continue;
      devices.resize(std::min(used, kMostDevices));
      ProcessUse use;
      use.pid = process.pid;
      use.memory =
          devices.size() == 1
              ? Fact<std::int64_t>::known(static_cast<std::int64_t>(process.memory), kSource)
              : Fact<std::int64_t>::missing("told for its devices together", kSource);
      for (const std::uint32_t device : devices) processes_[device].push_back(use);
    }
  }

  std::string path_;
  OpenLibrary library_{"ROCm SMI", kCodes, 2};
  std::uint32_t count_ = 0;
  int processes_code_ = kNoCall;
  std::map<std::uint32_t, std::vector<ProcessUse>> processes_;
};

}  // namespace

std::unique_ptr<DeviceSource> make_rocm_smi(const SourceScene& scene) {
  return std::make_unique<RocmSmi>(scene.library);
}

}  // namespace dsbuild::probe
