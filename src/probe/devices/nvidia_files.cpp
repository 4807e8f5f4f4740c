#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "probe/devices/device_source.h"
#include "probe/sources.h"

namespace dsbuild::probe {
namespace {

constexpr const char* kVersion = "/proc/driver/nvidia/version";
constexpr const char* kFamily = "/sys/devices/soc0/family";
constexpr const char* kRelease = "/etc/nv_tegra_release";
constexpr const char* kCompatible = "/proc/device-tree/compatible";
constexpr const char* kModel = "/proc/device-tree/model";
constexpr const char* kWsl = "/dev/dxg";

/// A Jetson's GPU is part of its chip and on no bus.
/// https://developer.nvidia.com/cuda-gpus, https://docs.nvidia.com/jetson/ (Thor: sm_101 before
/// CUDA 13)
struct TegraRow {
  std::string_view chip;
  std::string_view arch;
};
constexpr std::array<TegraRow, 5> kTegras{{{"tegra210", "sm_53"},
                                           {"tegra186", "sm_62"},
                                           {"tegra194", "sm_72"},
                                           {"tegra234", "sm_87"},
                                           {"tegra264", "sm_110"}}};

/// Text of the device tree ends with a zero, and its lists have one after each item.
std::vector<std::string> read_tree(const System& system, const char* file) {
  const std::string text = system.read_file(file).value_or("");
  return split(text, std::string_view("\0", 1));
}

/// Two of the files must agree: a label alone has been taken for a GPU before.
std::optional<Device> find_jetson(const System& system) {
  using Text = Fact<std::string>;
  const std::string family = system.read_file(kFamily).value_or("");
  const auto names = read_tree(system, kCompatible);
  const TegraRow* row = nullptr;
  for (const TegraRow& candidate : kTegras) {
    if (std::find(names.begin(), names.end(), fmt::format("nvidia,{}", candidate.chip)) !=
        names.end())
      row = &candidate;
  }
  const int signs = static_cast<int>(family.starts_with("Tegra") || family.starts_with("tegra")) +
                    static_cast<int>(system.exists(kRelease)) + static_cast<int>(row != nullptr);
  if (signs < 2) return std::nullopt;
  Device device;
  device.accelerator = "cuda";
  device.address = "soc0";
  if (row != nullptr) device.chip = row->chip;
  device.arch = row != nullptr ? Text::known(std::string(row->arch), kCompatible)
                               : Text::missing("no Jetson that is known", kCompatible);
  device.arch.confidence = row != nullptr ? Confidence::table : Confidence::unranked;
  const auto model = read_tree(system, kModel);
  device.name = model.empty() || model.front().empty()
                    ? Text::missing("the device tree doesn't say", kModel)
                    : Text::known(model.front(), kModel);
  device.driver = Text::known("nvgpu", kFamily);
  device.driver_version = Text::missing("it comes with the board's software", kRelease);
  device.memory = Fact<std::int64_t>::missing("it shares the host's");
  device.numa_node = Fact<std::int64_t>::missing("it is part of the host's chip");
  device.parts = 1;
  return device;
}

/// In WSL the host's GPU is behind one device of the kernel's, and only libraries know which it is.
std::optional<Device> find_wsl(const System& system) {
  if (!system.exists(kWsl) || !system.exists("/usr/lib/wsl/lib/libcuda.so.1")) return std::nullopt;
  const std::string reason = "only the libraries know: dsbuild report --devices";
  Device device;
  device.accelerator = "cuda";
  device.address = "dxg";
  device.arch = Fact<std::string>::missing(reason, kWsl);
  device.name = Fact<std::string>::missing(reason, kWsl);
  device.driver = Fact<std::string>::known("dxgkrnl", kWsl);
  device.driver_version = Fact<std::string>::missing(reason, kWsl);
  device.memory = Fact<std::int64_t>::missing(reason, kWsl);
  device.numa_node = Fact<std::int64_t>::missing("it is the host's");
  device.parts = 1;
  return device;
}

/// NVIDIA's kernel driver by its files.
class NvidiaFiles final : public DeviceSource {
 public:
  explicit NvidiaFiles(const SourceScene& scene) : system_(*scene.system), known_(scene.devices) {}

  std::string_view id() const override { return "nvidia/pci"; }
  std::string_view type() const override { return "cuda"; }
  Confidence confidence() const override { return Confidence::kernel; }

  SourceStatus load() override {
    if (known_.empty()) return unusable("not_applicable", "this machine has no such device");
    for (const Device& device : known_) {
      if (!device.problem.empty())
        return {"driver_not_loaded", device.address + ": " + device.problem,
                "modprobe nvidia; look at dmesg for NVRM", true};
    }
    return {};
  }

  /// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build …"
  Fact<std::string> driver_version() override {
    const std::string text = system_.read_file(kVersion).value_or("");
    const auto module = text.find("Kernel Module");
    if (module != std::string::npos) {
      for (const std::string& word : split(text.substr(module, text.find('\n', module)), " ")) {
        const std::string_view number = trim(word);
        if (number.find('.') != std::string_view::npos &&
            number.find_first_not_of("0123456789.") == std::string_view::npos)
          return Fact<std::string>::known(std::string(number), kVersion);
      }
    }
    return Fact<std::string>::missing("no file says it", kVersion);
  }

  std::vector<SourceDevice> devices() override {
    std::vector<SourceDevice> list;
    for (const Device& known : known_) list.push_back(read_device(known.address));
    return list;
  }

 private:
  /// "Model: \t\t NVIDIA H100 80GB HBM3"
  SourceDevice read_device(const std::string& address) const {
    SourceDevice device;
    device.address = address;
    const std::string file = "/proc/driver/nvidia/gpus/" + address + "/information";
    std::map<std::string, std::string> lines;
    for (const std::string& line : split_lines(system_.read_file(file).value_or(""))) {
      const auto colon = line.find(':');
      if (colon == std::string::npos) continue;
      const std::string_view all = line;
      lines[std::string(trim(all.substr(0, colon)))] = trim(all.substr(colon + 1));
    }
    const auto fact = [&](const char* key) {
      const auto found = lines.find(key);
      // The UUID of a GPU that nobody has used yet is "GPU-????????-…".
      return found == lines.end() || found->second.find('?') != std::string::npos
                 ? Fact<std::string>::missing("no driver says it", file)
                 : Fact<std::string>::known(found->second, file);
    };
    device.name = fact("Model");
    device.uuid = fact("GPU UUID");
    return device;
  }

  const System& system_;
  std::vector<Device> known_;
};

}  // namespace

std::unique_ptr<DeviceSource> make_nvidia_files(const SourceScene& scene) {
  return std::make_unique<NvidiaFiles>(scene);
}

std::vector<Device> find_platform_devices(const System& system) {
  std::vector<Device> devices;
  for (auto& device : {find_jetson(system), find_wsl(system)}) {
    if (device) devices.push_back(*device);
  }
  return devices;
}

}  // namespace dsbuild::probe
