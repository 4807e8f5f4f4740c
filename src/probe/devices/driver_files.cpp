#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "manifest/arch_name.h"
#include "probe/sources.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

constexpr const char* kBus = "/sys/bus/pci/devices";
constexpr const char* kNodes = "/sys/class/kfd/kfd/topology/nodes";

template <typename Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

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

/// What NVIDIA's driver calls the board: "Model: \t\t NVIDIA H100 80GB HBM3".
Fact<std::string> find_name(const System& system, const std::string& address) {
  const std::string file = "/proc/driver/nvidia/gpus/" + address + "/information";
  for (const std::string& line : split_lines(system.read_file(file).value_or(""))) {
    const auto colon = line.find(':');
    if (colon != std::string::npos && trim(std::string_view(line).substr(0, colon)) == "Model")
      return Fact<std::string>::known(std::string(trim(std::string_view(line).substr(colon + 1))),
                                      file);
  }
  return Fact<std::string>::missing("no driver says its name");
}

Fact<std::int64_t> find_numa_node(const System& system, const fs::path& function) {
  const fs::path file = function / "numa_node";
  const auto text = system.read_file(file);
  const auto node = text ? parse_whole<std::int64_t>(trim(*text)) : std::nullopt;
  if (!node) return Fact<std::int64_t>::missing("the kernel doesn't say", file.string());
  if (*node < 0) return Fact<std::int64_t>::missing("it belongs to no node", file.string());
  return Fact<std::int64_t>::known(*node, file.string());
}

/// "key value" lines, split at the first space: `properties` has "capability" and "capability2".
std::map<std::string, std::int64_t> parse_properties(std::string_view text) {
  std::map<std::string, std::int64_t> properties;
  for (const std::string& line : split_lines(text)) {
    const auto space = line.find(' ');
    if (space == std::string::npos) continue;
    const auto value = parse_whole<std::int64_t>(trim(std::string_view(line).substr(space + 1)));
    if (value) properties[line.substr(0, space)] = *value;
  }
  return properties;
}

/// 90402 is gfx942, 90010 gfx90a: two decimal digits each, of which the stepping is shown in
/// hexadecimal, as LLVM's offload-arch takes it apart. Empty: a node without a GPU.
std::string parse_gfx_version(std::int64_t version) {
  if (version <= 0) return {};
  return fmt::format("gfx{}{:x}{:x}", version / 10000, version / 100 % 100, version % 100);
}

std::string address_of(const std::map<std::string, std::int64_t>& properties) {
  const auto value = [&](const char* key) {
    const auto found = properties.find(key);
    return found == properties.end() ? 0 : found->second;
  };
  const std::int64_t location = value("location_id");
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", value("domain"), location >> 8 & 0xff,
                     location >> 3 & 0x1f, location & 7);
}

/// What the node's own memory holds; heaps 1 and 2 are the GPU's, visible and not.
std::int64_t node_memory(const System& system, const fs::path& node) {
  std::int64_t bytes = 0;
  for (const std::string& bank : system.list_folder(node / "mem_banks")) {
    const auto properties =
        parse_properties(system.read_file(node / "mem_banks" / bank / "properties").value_or(""));
    const auto heap = properties.find("heap_type");
    const auto size = properties.find("size_in_bytes");
    if (heap == properties.end() || size == properties.end()) continue;
    if (heap->second == 1 || heap->second == 2) bytes += size->second;
  }
  return bytes;
}

/// In CPX mode a card is several nodes at one address: parts of one device.
void add_node(const System& system, const manifest::Catalog& catalog, const fs::path& node,
              std::vector<Device>& devices) {
  const fs::path file = node / "properties";
  const auto properties = parse_properties(system.read_file(file).value_or(""));
  const auto version = properties.find("gfx_target_version");
  const auto vendor = properties.find("vendor_id");
  if (version == properties.end() || vendor == properties.end()) return;
  const std::string arch = parse_gfx_version(version->second);
  const std::string address = address_of(properties);
  const auto device = std::find_if(devices.begin(), devices.end(), [&](const Device& candidate) {
    // Other vendors' drivers register nodes, too.
    return candidate.address == address &&
           candidate.id.starts_with(fmt::format("{:04x}:", vendor->second));
  });
  if (arch.empty() || device == devices.end()) return;
  const auto name =
      manifest::parse_arch_name(catalog.accelerators.at(device->accelerator), arch, "");
  if (!name) return;
  // The driver knows it; a table of ids only what was sold when it was written.
  device->arch = Fact<std::string>::known(name->name, file.string());
  ++device->parts;
  const std::int64_t memory = node_memory(system, node);
  if (memory > 0) {
    device->memory = Fact<std::int64_t>::known(device->memory.value.value_or(0) + memory,
                                               (node / "mem_banks").string());
  }
}

}  // namespace

void add_driver_facts(const System& system, const manifest::Catalog& catalog,
                      std::vector<Device>& devices) {
  for (Device& device : devices) {
    device.name = find_name(system, device.address);
    device.driver = find_driver(system, fs::path(kBus) / device.address);
    device.driver_version = find_driver_version(system, device.driver);
    device.numa_node = find_numa_node(system, fs::path(kBus) / device.address);
    device.memory = Fact<std::int64_t>::missing("no driver says how much it has");
  }
  if (devices.empty()) return;
  for (const std::string& node : system.list_folder(kNodes))
    add_node(system, catalog, fs::path(kNodes) / node, devices);
  for (Device& device : devices) device.parts = std::max(device.parts, 1);
}

}  // namespace dsbuild::probe
