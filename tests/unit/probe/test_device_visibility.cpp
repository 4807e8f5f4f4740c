#include <catch2/catch.hpp>

#include "base/json.h"
#include "machines/machines.h"
#include "probe/devices/visible_devices.h"
#include "unit/probe/support.h"

namespace dsbuild::probe::tests {
namespace {

using Names = std::vector<std::string>;

/// Three GPUs at buses 1 to 3, of which CUDA counts the last one first.
Machine three_gpus(bool with_cuda) {
  Machine machine;
  manifest::RuntimeFacts runtime;
  runtime.visible_devices = "CUDA_VISIBLE_DEVICES";
  AcceleratorState cuda;
  cuda.name = "cuda";
  cuda.runtime = runtime;
  machine.accelerators.list = {cuda};
  SourceReport report;
  report.id = with_cuda ? "nvidia/cuda" : "nvidia/nvml";
  report.status = "ok";
  for (const int bus : {3, 1, 2}) {
    SourceDevice device;
    device.accelerator = "cuda";
    device.address = "0000:0" + std::to_string(bus) + ":00.0";
    device.uuid = Fact<std::string>::known("GPU-" + std::to_string(bus) + "aB-99", "");
    if (bus == 2) {
      DevicePart part;
      part.uuid = Fact<std::string>::known("MIG-77-88", "");
      device.parts = Fact<std::vector<DevicePart>>::known({part}, "");
    }
    report.devices.push_back(device);
  }
  machine.sources = {report};
  for (const int bus : {1, 2, 3}) {
    Device device;
    device.accelerator = "cuda";
    device.address = "0000:0" + std::to_string(bus) + ":00.0";
    machine.devices.push_back(device);
  }
  return machine;
}

VisibleDevices visible(const std::string& value, bool with_cuda = true) {
  const auto list = find_visible_devices(FakeRoot().system({{"CUDA_VISIBLE_DEVICES", value}}),
                                         three_gpus(with_cuda));
  REQUIRE(list.size() == 1);
  return list[0];
}

TEST_CASE("an index counts as CUDA does, else by address, and that is said", "[visibility]") {
  CHECK(visible("0").visible == Names{"0000:03:00.0"});
  CHECK(visible("0").hidden == Names{"0000:01:00.0", "0000:02:00.0"});
  CHECK(visible("0").note.empty());
  CHECK(visible("0", false).visible == Names{"0000:01:00.0"});
  CHECK(visible("0", false).note == "counted by address");
}

TEST_CASE("UUIDs, their beginnings, MIG parts in both forms and tiles name devices",
          "[visibility]") {
  CHECK(visible("GPU-1ab").visible == Names{"0000:01:00.0"});
  CHECK(visible("MIG-77-88").visible == Names{"0000:02:00.0"});
  CHECK(visible("MIG-GPU-1aB-99/1/0").visible == Names{"0000:01:00.0"});
  CHECK(visible(" 2, 1.0 ,2").visible == Names{"0000:02:00.0", "0000:01:00.0"});
}

TEST_CASE("what names no device ends the list, and an empty list hides all", "[visibility]") {
  for (const char* bad : {"1,-1,0", "1,7,0", "1,GPU-zz,0", "1,x,0", "1,1x,0"}) {
    INFO(bad);
    CHECK(visible(bad).visible == Names{"0000:01:00.0"});
    CHECK(visible(bad).note.find("is no device that is known here") != std::string::npos);
  }
  CHECK(visible("").visible.empty());
  CHECK(visible("").hidden.size() == 3);
}

TEST_CASE("a variable that is not set, or has no devices to hide, is not told of", "[visibility]") {
  const FakeRoot root;
  CHECK(find_visible_devices(root.system({{"PATH", "/bin"}}), three_gpus(true)).empty());
  CHECK(
      find_visible_devices(root.system({{"ROCR_VISIBLE_DEVICES", "0"}}), three_gpus(true)).empty());
}

}  // namespace
}  // namespace dsbuild::probe::tests
