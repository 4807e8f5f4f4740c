#include <fmt/format.h>

#include <array>
#include <charconv>
#include <set>
#include <stdexcept>
#include <string_view>

#include "machines/machines.h"
#include "machines/render.h"

namespace dsbuild::machines {
namespace {

using probe::Device;

/// Class codes of what vendors sell: 3D controllers, AMD's and Intel's without a display, and
/// processing accelerators.
struct ClassRow {
  std::string_view vendor;
  std::string_view code;
};
constexpr std::array<ClassRow, 3> kClasses{{
    {"10de", "0x030200"},
    {"1002", "0x038000"},
    {"8086", "0x038000"},
}};
constexpr std::string_view kAccelerator = "0x120000";

constexpr std::string_view kNodes = "/sys/class/kfd/kfd/topology/nodes";

bool has_fault(const SurfaceFaults& faults, const char* surface, const char* what) {
  const auto found = faults.find(surface);
  return found != faults.end() && found->second == what;
}

std::string_view class_of(std::string_view vendor) {
  for (const ClassRow& row : kClasses) {
    if (row.vendor == vendor) return row.code;
  }
  return kAccelerator;
}

/// The function's real folder, to which the bus has links.
std::string folder_of(const Device& device) {
  return "/sys/devices/pci0000:00/" + device.address;
}

void render_function(const Device& device, FakeRoot& root) {
  const std::string vendor = device.id.substr(0, 4);
  add_pci(root, device.address, "0x" + vendor, "0x" + device.id.substr(5), class_of(vendor));
  root.file(folder_of(device) + "/numa_node",
            fmt::format("{}\n", device.numa_node ? *device.numa_node : -1));
}

void render_driver(const Device& device, FakeRoot& root) {
  // A GPU that is part of the chip is on no bus; the file gives what its driver leaves.
  if (!device.driver || device.id.empty()) return;
  const std::string& driver = *device.driver;
  root.folder("/sys/bus/pci/drivers/" + driver);
  root.link(folder_of(device) + "/driver", "../../../bus/pci/drivers/" + driver);
  root.folder("/sys/module/" + driver);
  if (device.driver_version)
    root.file("/sys/module/" + driver + "/version", *device.driver_version + "\n");
  if (driver != "nvidia") return;
  if (device.driver_version) {
    root.file("/proc/driver/nvidia/version",
              fmt::format("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {}  Release "
                          "Build\nGCC version:  gcc version 12.2.0\n",
                          *device.driver_version));
  }
  root.file("/proc/driver/nvidia/gpus/" + device.address + "/information",
            fmt::format("Model: \t\t {}\nIRQ:   \t\t 64\nBus Location: \t {}\nDevice Minor: \t 0\n",
                        device.name ? *device.name : "Unknown", device.address));
}

/// "gfx90a" is 90010: major, minor and stepping, the last two of one hexadecimal digit each.
std::string gfx_version(const std::string& arch) {
  const auto digits = [&](std::size_t from, std::size_t count, int base) {
    int number = 0;
    std::from_chars(arch.data() + from, arch.data() + from + count, number, base);
    return number;
  };
  const std::size_t end = arch.size();
  return std::to_string(10000 * digits(3, end - 5, 10) + 100 * digits(end - 2, 1, 16) +
                        digits(end - 1, 1, 16));
}

/// bus << 8 | device << 3 | function, as the driver writes it.
int location_of(const std::string& address) {
  const auto hex = [&](std::size_t from, std::size_t count) {
    int number = 0;
    std::from_chars(address.data() + from, address.data() + from + count, number, 16);
    return number;
  };
  return hex(5, 2) << 8 | hex(8, 2) << 3 | hex(11, 1);
}

/// A GPU's nodes: one, or as many as the card is divided into, each with its share of the memory.
void render_nodes(const Device& device, FakeRoot& root, int& next, bool unreadable) {
  const int parts = std::max(device.parts, 1);
  for (int part = 0; part < parts; ++part) {
    const std::string node = fmt::format("{}/{}", kNodes, next++);
    if (unreadable) {
      root.folder(node + "/properties");  // can't be read by root either
      continue;
    }
    root.file(
        node + "/properties",
        fmt::format("cpu_cores_count 0\nsimd_count 304\ncapability 671588992\n"
                    "capability2 0\ngfx_target_version {}\nvendor_id {}\ndevice_id {}\n"
                    "location_id {}\ndomain 0\nunique_id 1\n",
                    gfx_version(*device.arch), 0x1002, std::stoi(device.id.substr(5), nullptr, 16),
                    location_of(device.address)));
    if (device.memory) {
      root.file(node + "/mem_banks/0/properties",
                fmt::format("heap_type 1\nsize_in_bytes {}\n", *device.memory / parts));
    }
  }
}

}  // namespace

void render_devices(const probe::Machine& machine, FakeRoot& root, const SurfaceFaults& faults) {
  const std::set<std::string> known{"pci", "driver", "kfd"};
  for (const auto& [surface, what] : faults) {
    if (!known.count(surface) || (what != "absent" && what != "unreadable"))
      throw std::runtime_error("can't render the fault " + surface + ": " + what);
  }
  if (!has_fault(faults, "pci", "absent")) {
    root.folder("/sys/bus/pci/devices");
    for (const Device& device : machine.devices) {
      if (!device.id.empty()) render_function(device, root);
    }
  }
  if (has_fault(faults, "driver", "absent")) return;
  int next = 1;  // node 0 is the CPU
  for (const Device& device : machine.devices) {
    render_driver(device, root);
    if (has_fault(faults, "kfd", "absent") || !device.driver || *device.driver != "amdgpu" ||
        !device.arch)
      continue;
    render_nodes(device, root, next, has_fault(faults, "kfd", "unreadable"));
  }
  if (next > 1) {
    root.file("/dev/kfd");
    root.file(fmt::format("{}/0/properties", kNodes),
              "cpu_cores_count 64\nsimd_count 0\ngfx_target_version 0\nvendor_id 0\n");
  }
}

}  // namespace dsbuild::machines
