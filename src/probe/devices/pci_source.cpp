#include "probe/devices/device_source.h"

namespace dsbuild::probe {
namespace {

/// The PCI bus and the descriptors' tables of ids: all that there is without a driver.
class PciSource final : public DeviceSource {
 public:
  PciSource(std::string_view id, std::string_view type, const SourceScene& scene)
      : id_(id), type_(type), known_(scene.devices) {}

  std::string_view id() const override { return id_; }
  std::string_view type() const override { return type_; }
  Confidence confidence() const override { return Confidence::table; }

  SourceStatus load() override {
    if (known_.empty()) return unusable("not_applicable", "this machine has no such device");
    for (const Device& device : known_) {
      if (!device.problem.empty() && device.fix.empty())
        return {"driver_not_loaded", device.address + ": " + device.problem,
                "install the vendor's driver, or load its module", true};
    }
    return {};
  }

  std::vector<SourceDevice> devices() override {
    std::vector<SourceDevice> list;
    for (const Device& known : known_) {
      SourceDevice device;
      device.accelerator = known.accelerator;
      device.address = known.address;
      if (known.arch.confidence == Confidence::table) device.arch = known.arch;
      list.push_back(std::move(device));
    }
    return list;
  }

 private:
  std::string_view id_;
  std::string_view type_;
  std::vector<Device> known_;
};

}  // namespace

std::unique_ptr<DeviceSource> make_amd_pci(const SourceScene& scene) {
  return std::make_unique<PciSource>("amd/pci", "rocm", scene);
}

std::unique_ptr<DeviceSource> make_other_pci(const SourceScene& scene) {
  return std::make_unique<PciSource>("pci", "", scene);
}

}  // namespace dsbuild::probe
