#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "machines/machines.h"
#include "probe/sources.h"
#include "unit/probe/support.h"

namespace dsbuild::probe::tests {
namespace {

std::vector<Device> devices_of(const FakeRoot& root) {
  const PosixSystem system = root.system();
  std::vector<Device> devices = find_devices(system, built_in_catalog());
  add_driver_facts(system, built_in_catalog(), devices);
  return devices;
}

/// A KFD node as amdgpu writes it; `location` is bus << 8 | device << 3 | function.
void add_node(FakeRoot& root, int number, int gfx_version, int location, int vendor = 4098,
              const char* memory = "") {
  const std::string node = fmt::format("/sys/class/kfd/kfd/topology/nodes/{}", number);
  root.file(node + "/properties",
            fmt::format("cpu_cores_count 0\nsimd_count 304\ncapability 745472\ncapability2 1\n"
                        "gfx_target_version {}\nvendor_id {}\ndevice_id 29857\nlocation_id {}\n"
                        "domain 0\n",
                        gfx_version, vendor, location));
  if (*memory != '\0') {
    root.file(node + "/mem_banks/0/properties",
              fmt::format("heap_type 1\nsize_in_bytes {}\nflags 0\n", memory));
    root.file(node + "/mem_banks/1/properties", "heap_type 3\nsize_in_bytes 4096\nflags 0\n");
  }
}

TEST_CASE("KFD tells an MI300's arch, which no PCI id does, and its memory") {
  FakeRoot root;
  machines::add_pci(root, "0000:0c:00.0", "0x1002", "0x74a1", "0x120000");
  root.file("/sys/class/kfd/kfd/topology/nodes/0/properties",
            "cpu_cores_count 96\ngfx_target_version 0\nvendor_id 0\nlocation_id 0\ndomain 0\n");
  add_node(root, 1, 90402, 0x0c00, 4098, "206141652992");
  const auto devices = devices_of(root);
  REQUIRE(devices.size() == 1);
  CHECK(*devices[0].arch == "gfx942");
  CHECK(devices[0].arch.source == "/sys/class/kfd/kfd/topology/nodes/1/properties");
  CHECK(*devices[0].memory == 206141652992);
  CHECK(devices[0].parts == 1);
}

TEST_CASE("the stepping of a gfx version is hexadecimal") {
  FakeRoot root;
  machines::add_pci(root, "0000:0c:00.0", "0x1002", "0x740c", "0x038000");
  add_node(root, 1, 90010, 0x0c00);
  CHECK(*devices_of(root)[0].arch == "gfx90a");
}

TEST_CASE("an MI300 in CPX mode is one device of eight parts, whatever the order of its nodes") {
  FakeRoot root;
  machines::add_pci(root, "0000:0c:00.0", "0x1002", "0x74a1", "0x120000");
  machines::add_pci(root, "0000:22:00.0", "0x1002", "0x74a1", "0x120000");
  for (int node = 1; node <= 8; ++node) add_node(root, node, 90402, 0x0c00, 4098, "1000");
  add_node(root, 10, 90402, 0x2200, 4098, "8000");
  const auto devices = devices_of(root);
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].parts == 8);
  CHECK(*devices[0].memory == 8000);
  CHECK(devices[1].parts == 1);
}

TEST_CASE("another vendor's node, half a node and one for no device are left alone") {
  FakeRoot root;
  machines::add_pci(root, "0000:17:00.0", "0x10de", "0x2330", "0x030200");
  add_node(root, 1, 90402, 0x1700, 4098);  // the address is NVIDIA's
  add_node(root, 2, 90402, 0x1700, 4318);  // NVIDIA's open module registers nodes
  root.file("/sys/class/kfd/kfd/topology/nodes/3/properties", "gfx_target_version\nvendor_id x\n");
  root.folder("/sys/class/kfd/kfd/topology/nodes/4");
  add_node(root, 5, 90402, 0x9900);
  const auto devices = devices_of(root);
  REQUIRE(devices.size() == 1);
  CHECK(*devices[0].arch == "sm_90");
  CHECK(devices[0].parts == 1);
  CHECK_FALSE(devices[0].memory);
}

TEST_CASE("the bound driver, its version, the NUMA node and NVIDIA's own name are found by file") {
  FakeRoot root;
  machines::add_pci(root, "0000:17:00.0", "0x10de", "0x2330", "0x030200");
  machines::add_pci(root, "0000:18:00.0", "0x10de", "0x2330", "0x030200");
  root.folder("/sys/bus/pci/drivers/nvidia");
  root.link("/sys/bus/pci/devices/0000:17:00.0/driver", "/sys/bus/pci/drivers/nvidia");
  root.file("/sys/bus/pci/devices/0000:17:00.0/numa_node", "1\n");
  root.file("/sys/bus/pci/devices/0000:18:00.0/numa_node", "-1\n");
  root.file("/sys/module/nvidia/version", "580.65.06\n");
  root.file("/proc/driver/nvidia/gpus/0000:17:00.0/information",
            "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 90\n");
  const auto devices = devices_of(root);
  REQUIRE(devices.size() == 2);
  CHECK(*devices[0].driver == "nvidia");
  CHECK(*devices[0].driver_version == "580.65.06");
  CHECK(*devices[0].numa_node == 1);
  CHECK(*devices[0].name == "NVIDIA H100 80GB HBM3");
  CHECK(devices[1].driver.reason == "no driver is bound to it");
  CHECK(devices[1].driver_version.reason == "no driver is bound to it");
  CHECK(devices[1].numa_node.reason == "it belongs to no node");
  CHECK_FALSE(devices[1].name);
}

}  // namespace
}  // namespace dsbuild::probe::tests
