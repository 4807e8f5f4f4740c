#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "probe/sources.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

/// What sysfs says of one PCI function.
struct PciFunction {
  unsigned vendor = 0;
  unsigned device = 0;
  unsigned device_class = 0;  ///< the upper 16 bits of the class code: 0x0302 of 0x030200
};

/// "0x10de\n"
std::optional<unsigned> read_hex(const System& system, const fs::path& file) {
  const auto text = system.read_file(file);
  if (!text) return std::nullopt;
  std::string_view digits = trim(*text);
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  unsigned number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::optional<PciFunction> read_function(const System& system, const fs::path& folder) {
  const auto vendor = read_hex(system, folder / "vendor");
  const auto device = read_hex(system, folder / "device");
  const auto code = read_hex(system, folder / "class");
  if (!vendor || !device || !code) return std::nullopt;
  return PciFunction{*vendor, *device, *code >> 8};
}

/// The chip of the function's id; null: the rule lists none.
const manifest::PciRange* find_range(const manifest::PciRule& rule, const PciFunction& function) {
  const auto range =
      std::find_if(rule.devices.begin(), rule.devices.end(), [&](const manifest::PciRange& r) {
        return r.first <= function.device && function.device <= r.last;
      });
  return range == rule.devices.end() ? nullptr : &*range;
}

/// Classes keep out what else a vendor makes: the sound part of a card, and NVSwitch (0x0680),
/// which is no device to build for.
bool takes(const manifest::PciRule& rule, const PciFunction& function) {
  const auto& classes = rule.classes;
  return rule.vendor == function.vendor &&
         (classes.empty() ||
          std::find(classes.begin(), classes.end(), function.device_class) != classes.end()) &&
         (!rule.only_listed || find_range(rule, function) != nullptr);
}

Device make_device(const manifest::Accelerator& accelerator, const manifest::PciRule& rule,
                   const PciFunction& function, const std::string& address) {
  using Arch = Fact<std::string>;
  Device device;
  device.accelerator = accelerator.name;
  device.address = address;
  device.id = fmt::format("{:04x}:{:04x}", function.vendor, function.device);
  const std::string source = "PCI id " + device.id;
  const manifest::PciRange* range = find_range(rule, function);
  if (rule.devices.empty()) {
    device.arch = Arch::missing("a PCI id doesn't tell the arch of this kind of device", source);
  } else if (range == nullptr) {
    device.arch = Arch::missing(
        fmt::format("the accelerator '{}' lists no chip with this id", accelerator.name), source);
  } else {
    device.chip = range->chip;
    device.arch =
        range->arch.empty()
            ? Arch::missing(fmt::format("the arch of {} is not listed", range->chip), source)
            : Arch::known(range->arch, source);
    if (device.arch) device.arch.confidence = Confidence::table;
  }
  return device;
}

}  // namespace

std::vector<Device> find_devices(const System& system, const manifest::Catalog& catalog) {
  const fs::path bus = "/sys/bus/pci/devices";
  std::vector<Device> devices;
  for (const std::string& address : system.list_folder(bus)) {
    const auto function = read_function(system, bus / address);
    if (!function) continue;
    for (const auto& [name, accelerator] : catalog.accelerators) {
      for (const manifest::PciRule& rule : accelerator.pci) {
        if (takes(rule, *function)) {
          devices.push_back(make_device(accelerator, rule, *function, address));
          break;
        }
      }
    }
  }
  return devices;
}

}  // namespace dsbuild::probe
