#include <array>
#include <cstring>
#include <filesystem>

#include "probe/devices/open_library.h"

namespace dsbuild::probe {
namespace {

// The few calls of CUDA's driver API that need no context, so that nothing is left on a device.
// https://docs.nvidia.com/cuda/cuda-driver-api/
using Ordinal = int;
struct Uuid {
  unsigned char bytes[16];
};
constexpr int kCapabilityMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int kCapabilityMinor = 76;

/// CUresult
constexpr std::array<CodeRow, 8> kCodes{{
    {3, "driver_not_loaded", "the driver is not initialised", "modprobe nvidia nvidia_uvm"},
    {34, "stub_library", "it is a toolkit's stub, for linking only",
     "leave the toolkit's stubs folder out of LD_LIBRARY_PATH and ld.so.conf; the driver brings "
     "the "
     "real one"},
    {46, "no_permission", "the device is taken by another or kept away", "look at nvidia-smi"},
    {100, "no_devices", "the driver has no GPU that it can use", "look at dmesg for NVRM"},
    {101, "degraded", "there is no such device", "look at nvidia-smi"},
    {802, "driver_not_loaded", "the system is not ready: the fabric manager doesn't run",
     "systemctl start nvidia-fabricmanager"},
    {803, "version_mismatch", "the library and the kernel's driver have different versions",
     "reboot, so that the driver that was installed is the one that runs"},
    {999, "degraded", "the driver fails for an unknown reason",
     "look at dmesg for Xid; modprobe nvidia_uvm"},
}};

/// "GPU-8f3b2c9e-…", as nvidia-smi writes it.
std::string uuid_text(const Uuid& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid.bytes[i]);
  }
  return text;
}

/// The library that every CUDA program loads. It is asked without CUDA_VISIBLE_DEVICES, so its
/// order is the one that the variable counts in.
class Cuda final : public DeviceSource {
 public:
  explicit Cuda(std::string path) : path_(std::move(path)) {}

  std::string_view id() const override { return "nvidia/cuda"; }
  std::string_view type() const override { return "cuda"; }

  SourceStatus load() override {
    if (const std::string problem = library_.open(path_); !problem.empty())
      return unusable("library_missing", problem, "reinstall NVIDIA's driver");
    int code = library_.call({"cuInit"}, 0U);
    count_ = 0;
    if (code == 0) code = library_.call({"cuDeviceGetCount"}, &count_);
    if (code == 34) {
      // Where a link leads says whose stub it is.
      std::error_code error;
      std::string whose;
      if (std::filesystem::is_symlink(path_, error))
        whose = std::filesystem::canonical(path_, error).string() + ": ";
      return unusable("stub_library", whose + library_.describe(code), library_.refused(code).fix);
    }
    if (code != 0) return library_.refused(code);
    if (count_ < 0 || count_ > static_cast<int>(kMostDevices))
      return library_.too_many(static_cast<unsigned>(count_));
    return {};
  }

  /// What the driver serves, which is not its own version.
  Fact<std::string> api_version() override {
    int version = 0;
    const int code = library_.call({"cuDriverGetVersion"}, &version);
    return library_.fact(code, fmt::format("{}.{}", version / 1000, version % 1000 / 10),
                         "cuDriverGetVersion");
  }

  std::vector<SourceDevice> devices() override {
    std::vector<SourceDevice> list;
    for (int i = 0; i < count_; ++i) list.push_back(identify(i));
    return list;
  }

 private:
  SourceDevice identify(int index) const {
    SourceDevice out;
    Ordinal device = 0;
    int code = library_.call({"cuDeviceGet"}, &device, index);
    if (code != 0) {
      out.problem = fmt::format("device {}: {}", index, library_.describe(code));
      return out;
    }
    Text text{};
    const int room = static_cast<int>(kRoom);
    // "0000:17:00.0", in whatever case.
    if (library_.call({"cuDeviceGetPCIBusId"}, text.data(), room, device) == 0) {
      out.address = text_of(text);
      for (char& letter : out.address) {
        if (letter >= 'A' && letter <= 'F') letter = static_cast<char>(letter - 'A' + 'a');
      }
    }
    text = {};
    code = library_.call({"cuDeviceGetName"}, text.data(), room, device);
    out.name = library_.fact(code, text_of(text), "cuDeviceGetName");
    // The first version gives a MIG part its card's UUID.
    Uuid uuid{};
    code = library_.call({"cuDeviceGetUuid_v2", "cuDeviceGetUuid"}, &uuid, device);
    out.uuid = library_.fact(code, uuid_text(uuid), "cuDeviceGetUuid");
    int major = 0, minor = 0;
    code = library_.call({"cuDeviceGetAttribute"}, &major, kCapabilityMajor, device);
    if (code == 0) code = library_.call({"cuDeviceGetAttribute"}, &minor, kCapabilityMinor, device);
    out.arch =
        library_.fact(code, fmt::format("sm_{}{}", major, minor), "cuDeviceGetAttribute 75, 76");
    std::size_t bytes = 0;
    code = library_.call({"cuDeviceTotalMem_v2"}, &bytes, device);
    out.memory = library_.fact(code, static_cast<std::int64_t>(bytes), "cuDeviceTotalMem_v2");
    return out;
  }

  std::string path_;
  OpenLibrary library_{"CUDA", kCodes, 801};
  int count_ = 0;
};

}  // namespace

std::unique_ptr<DeviceSource> make_cuda(const SourceScene& scene) {
  return std::make_unique<Cuda>(scene.library);
}

}  // namespace dsbuild::probe
