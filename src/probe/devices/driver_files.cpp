#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "base/text.h"
#include "probe/devices/ask_sources.h"
#include "probe/devices/join_sources.h"
#include "probe/sources.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

constexpr const char* kBus = "/sys/bus/pci/devices";

/// What a driver makes once it has started.
struct DriverRow {
  std::string_view driver;
  std::string_view file;
};
constexpr std::array<DriverRow, 2> kDrivers{{
    {"nvidia", "/proc/driver/nvidia/version"},
    {"amdgpu", "/sys/class/kfd/kfd/topology/nodes"},
}};

Fact<std::string> find_driver(const System& system, const fs::path& function) {
  const fs::path link = function / "driver";
  if (const auto real = system.resolve(link))
    return Fact<std::string>::known(real->filename().string(), link.string());
  return Fact<std::string>::missing("no driver is bound to it", link.string());
}

/// A driver that is part of the kernel has the kernel's version and says none.
Fact<std::string> find_driver_version(const System& system, const Fact<std::string>& driver) {
  if (!driver) return Fact<std::string>::missing(driver.reason, driver.source);
  const std::string file = "/sys/module/" + *driver + "/version";
  const auto text = system.read_file(file);
  if (!text) return Fact<std::string>::missing(*driver + " says none", file);
  return Fact<std::string>::known(std::string(trim(*text)), file);
}

/// A driver that is there by its files, and doesn't work by its files.
std::string find_problem(const System& system, const Fact<std::string>& driver) {
  if (!driver) return driver.reason;
  for (const DriverRow& row : kDrivers) {
    if (row.driver == *driver && !system.exists(row.file))
      return fmt::format("{} is bound, but there is no {}: it didn't start", *driver, row.file);
  }
  return {};
}

Fact<std::int64_t> find_numa_node(const System& system, const fs::path& function) {
  const fs::path file = function / "numa_node";
  const std::string text(trim(system.read_file(file).value_or("")));
  std::int64_t node = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), node);
  if (error != std::errc() || end != text.data() + text.size())
    return Fact<std::int64_t>::missing("the kernel doesn't say", file.string());
  if (node < 0) return Fact<std::int64_t>::missing("it belongs to no node", file.string());
  return Fact<std::int64_t>::known(node, file.string());
}

/// A driver that works doesn't serve everyone.
void add_refusals(const std::vector<SourceReport>& reports, std::vector<Device>& devices) {
  for (const SourceReport& report : reports) {
    if (report.status != "no_permission") continue;
    for (Device& device : devices) {
      const bool refused = std::any_of(report.devices.begin(), report.devices.end(),
                                       [&](const SourceDevice& candidate) {
                                         return candidate.address == device.address &&
                                                candidate.accelerator == device.accelerator;
                                       });
      if (!refused || !device.problem.empty()) continue;
      device.problem = report.message;
      device.fix = report.fix;
    }
  }
}

}  // namespace

void add_driver_facts(const System& system, const manifest::Catalog& catalog,
                      std::vector<Device>& devices) {
  for (Device& device : devices) {
    const fs::path function = fs::path(kBus) / device.address;
    device.name = Fact<std::string>::missing("no driver says its name");
    device.driver = find_driver(system, function);
    device.driver_version = find_driver_version(system, device.driver);
    device.numa_node = find_numa_node(system, function);
    device.memory = Fact<std::int64_t>::missing("no driver says how much it has");
    device.parts = 1;
    device.problem = find_problem(system, device.driver);
  }
  for (Device& device : find_platform_devices(system)) {
    if (catalog.accelerators.count(device.accelerator) > 0) devices.push_back(std::move(device));
  }
  if (devices.empty()) return;
  std::vector<SourceReport> reports = read_file_sources(system, devices);
  join_sources(reports, devices);
  add_refusals(reports, devices);
}

}  // namespace dsbuild::probe
