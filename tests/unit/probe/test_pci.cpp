#include <catch2/catch.hpp>

#include "machines/machines.h"
#include "probe/sources.h"
#include "unit/probe/support.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using namespace dsbuild::probe::tests;
using machines::add_pci;

namespace {

std::vector<Device> devices_of(const FakeRoot& root) {
  return find_devices(root.system(), built_in_catalog());
}

}  // namespace

TEST_CASE("an H100 is known by its PCI id alone") {
  FakeRoot root;
  add_pci(root, "0000:17:00.0", "0x10de", "0x2330", "0x030200");
  const auto devices = devices_of(root);
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].accelerator == "cuda");
  CHECK(devices[0].address == "0000:17:00.0");
  CHECK(devices[0].id == "10de:2330");
  CHECK(devices[0].chip == "GH100");
  CHECK(*devices[0].arch == "sm_90");
}

TEST_CASE("all devices of a host are found, by address") {
  FakeRoot root;
  add_pci(root, "0000:af:00.0", "0x10de", "0x1eb8", "0x030200");  // T4
  add_pci(root, "0000:3b:00.0", "0x10de", "0x20b5", "0x030200");  // A100
  const auto devices = devices_of(root);
  REQUIRE(devices.size() == 2);
  CHECK(*devices[0].arch == "sm_80");
  CHECK(*devices[1].arch == "sm_75");
}

TEST_CASE("an NVSwitch, a card's sound part and other vendors' parts are no devices") {
  FakeRoot root;
  add_pci(root, "0000:05:00.0", "0x10de", "0x22a3", "0x068000");  // NVSwitch
  add_pci(root, "0000:06:00.0", "0x10de", "0x1af1", "0x068000");
  add_pci(root, "0000:07:00.1", "0x10de", "0x228e", "0x040300");  // HD audio
  add_pci(root, "0000:00:02.0", "0x8086", "0x9a49", "0x030000");
  CHECK(devices_of(root).empty());
}

TEST_CASE("an MI300 is found, its arch is not in a PCI id") {
  FakeRoot root;
  add_pci(root, "0000:0c:00.0", "0x1002", "0x74a1", "0x120000");
  const auto devices = devices_of(root);
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].accelerator == "rocm");
  CHECK_FALSE(devices[0].arch);
  CHECK_FALSE(devices[0].arch.reason.empty());
}

TEST_CASE("an id that nobody lists is reported without a guess") {
  FakeRoot root;
  add_pci(root, "0000:17:00.0", "0x10de", "0x3340", "0x030200");
  const auto devices = devices_of(root);
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].chip.empty());
  CHECK(devices[0].arch.reason == "the accelerator 'cuda' lists no chip with this id");
}

TEST_CASE("a chip whose arch is not listed is named") {
  manifest::Catalog catalog;
  manifest::Accelerator& accelerator = catalog.accelerators["acme"];
  accelerator.name = "acme";
  accelerator.pci = {{0x1e52, {}, {{0x4000, 0x40ff, "", "WH"}}}};
  FakeRoot root;
  add_pci(root, "0000:17:00.0", "0x1e52", "0x401e", "0x120000");
  const auto devices = find_devices(root.system(), catalog);
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].chip == "WH");
  CHECK(devices[0].arch.reason == "the arch of WH is not listed");
}

TEST_CASE("sysfs entries that can't be read or understood are passed over") {
  FakeRoot root;
  root.file("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
  root.file("/sys/bus/pci/devices/0000:02:00.0/vendor", "zebra\n");
  root.file("/sys/bus/pci/devices/0000:02:00.0/device", "0x2330\n");
  root.file("/sys/bus/pci/devices/0000:02:00.0/class", "0x030200\n");
  root.link("/sys/bus/pci/devices/0000:03:00.0", "0000:03:00.0");
  CHECK(devices_of(root).empty());
}
