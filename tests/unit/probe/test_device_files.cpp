#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "machines/machines.h"
#include "probe/devices/ask_sources.h"
#include "unit/probe/support.h"

namespace dsbuild::probe::tests {
namespace {

SourceReport read(const FakeRoot& root, const Machine& machine, std::string_view id) {
  for (SourceReport& report : read_file_sources(root.system(), machine.devices)) {
    if (report.id == id) return report;
  }
  return {};
}

void add_jetson(FakeRoot& root, const std::string& chip) {
  root.file("/sys/devices/soc0/family", "Tegra\n");
  std::string compatible = "nvidia,p3737-0000+p3701-0000";
  compatible += '\0';
  compatible += "nvidia," + chip;
  compatible += '\0';
  root.file("/proc/device-tree/compatible", compatible);
  root.file("/proc/device-tree/model", std::string("NVIDIA Jetson AGX Orin", 23));
}

TEST_CASE("a Jetson's GPU is a device though no bus has it", "[device_files]") {
  FakeRoot root;
  add_jetson(root, "tegra234");
  const Machine machine = FakeProbe(root).run();
  REQUIRE(machine.devices.size() == 1);
  CHECK(machine.devices[0].accelerator == "cuda");
  CHECK(*machine.devices[0].arch == "sm_87");
  CHECK(*machine.devices[0].name == "NVIDIA Jetson AGX Orin");
  CHECK_FALSE(machine.devices[0].memory);
  CHECK(read(root, machine, "nvidia/pci").status == "ok");
  CHECK(read(root, machine, "amd/kfd").status == "not_applicable");
}

TEST_CASE("one sign alone makes no Jetson, and an unknown one has no arch", "[device_files]") {
  FakeRoot alone;
  alone.file("/sys/devices/soc0/family", "Tegra\n");
  CHECK(FakeProbe(alone).run().devices.empty());
  FakeRoot unknown;
  add_jetson(unknown, "tegra999");
  unknown.file("/etc/nv_tegra_release", "# R99\n");
  const Machine machine = FakeProbe(unknown).run();
  REQUIRE(machine.devices.size() == 1);
  CHECK_FALSE(machine.devices[0].arch);
}

TEST_CASE("WSL has a device that only libraries know", "[device_files]") {
  FakeRoot root;
  root.file("/dev/dxg");
  CHECK(FakeProbe(root).run().devices.empty());
  root.file("/usr/lib/wsl/lib/libcuda.so.1");
  const Machine machine = FakeProbe(root).run();
  REQUIRE(machine.devices.size() == 1);
  CHECK(machine.devices[0].address == "dxg");
  CHECK(machine.devices[0].arch.reason == "only the libraries know: dsbuild report --devices");
}

TEST_CASE("a driver that is bound and didn't start is told by its files", "[device_files]") {
  FakeRoot root;
  machines::add_pci(root, "0000:17:00.0", "0x10de", "0x2330", "0x030200");
  CHECK(FakeProbe(root).run().devices[0].problem == "no driver is bound to it");
  root.folder("/sys/bus/pci/drivers/nvidia");
  root.link("/sys/bus/pci/devices/0000:17:00.0/driver", "/sys/bus/pci/drivers/nvidia");
  Machine machine = FakeProbe(root).run();
  CHECK(machine.devices[0].problem ==
        "nvidia is bound, but there is no /proc/driver/nvidia/version: it didn't start");
  CHECK(read(root, machine, "nvidia/pci").status == "driver_not_loaded");
  root.file("/proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\n"
            "GCC version:  gcc version 12.2.0\n");
  root.file("/proc/driver/nvidia/gpus/0000:17:00.0/information",
            "Model: \t\t NVIDIA H100\nGPU UUID: \t GPU-?-?\n");
  machine = FakeProbe(root).run();
  CHECK(machine.devices[0].problem.empty());
  const SourceReport report = read(root, machine, "nvidia/pci");
  CHECK(report.status == "ok");
  CHECK(*report.driver_version == "580.65.06");
  CHECK(*report.devices[0].name == "NVIDIA H100");
  CHECK_FALSE(report.devices[0].uuid);
}

TEST_CASE("KFD's nodes are counted as numbers, and say who may not use them", "[device_files]") {
  FakeRoot root;
  machines::add_pci(root, "0000:0c:00.0", "0x1002", "0x74a1", "0x120000");
  Machine machine = FakeProbe(root).run();
  CHECK(read(root, machine, "amd/kfd").status == "driver_not_loaded");
  for (const int node : {10, 2}) {
    root.file(fmt::format("/sys/class/kfd/kfd/topology/nodes/{}/properties", node),
              fmt::format("gfx_target_version 90402\nvendor_id 4098\nlocation_id 3072\ndomain 0\n"
                          "unique_id 18446744073709551{:03}\n",
                          600 + node));
  }
  machine = FakeProbe(root).run();
  SourceReport report = read(root, machine, "amd/kfd");
  CHECK(report.status == "no_permission");
  CHECK(report.message == "there is no /dev/kfd, so no program can use the devices");
  REQUIRE(report.devices.size() == 1);
  REQUIRE(report.devices[0].parts->size() == 2);
  CHECK(report.devices[0].parts->at(0).id == "node 2");
  CHECK(*report.devices[0].parts->at(0).uuid == "GPU-fffffffffffffff2");
  CHECK(report.devices[0].arch.confidence == Confidence::kernel);
  CHECK(machine.devices[0].problem == "no driver is bound to it");  // that comes first
  CHECK(machine.devices[0].fix.empty());
  root.folder("/sys/bus/pci/drivers/amdgpu");
  root.link("/sys/bus/pci/devices/0000:0c:00.0/driver", "/sys/bus/pci/drivers/amdgpu");
  machine = FakeProbe(root).run();
  CHECK(machine.devices[0].problem == report.message);
  CHECK(machine.devices[0].fix == report.fix);
  CHECK(read(root, machine, "amd/pci").status == "ok");  // its driver works
  root.file("/dev/kfd");
  CHECK(read(root, machine, "amd/kfd").status == "ok");
  CHECK(FakeProbe(root).run().devices[0].problem.empty());
}

TEST_CASE("a device of another vendor is the row's that has no vendor of its own",
          "[device_files]") {
  FakeRoot root;
  machines::add_pci(root, "0000:3d:00.0", "0x1da3", "0x1020", "0x120000");
  const Machine machine = FakeProbe(root).run();
  REQUIRE(machine.devices.size() == 1);
  const SourceReport report = read(root, machine, "pci");
  CHECK(report.status == "driver_not_loaded");
  REQUIRE(report.devices.size() == 1);
  CHECK(report.devices[0].accelerator == "hpu");
  CHECK(read(root, machine, "nvidia/pci").status == "not_applicable");
}

}  // namespace
}  // namespace dsbuild::probe::tests
