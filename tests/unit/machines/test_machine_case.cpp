// Files of machines that are wrong are refused, and each surface of a machine can fail alone.
#include <catch2/catch.hpp>

#include <fstream>

#include "base/files.h"
#include "machines/machine_case.h"

namespace fs = std::filesystem;
using namespace dsbuild;
using namespace dsbuild::machines;

namespace {

const char* const kMachine = R"({"$comment": "a trap", "schema": 1, "expect": {"/schema": 1},
  "machine": {"devices": [
    {"accelerator": "cuda", "address": "0000:17:00.0", "id": "10de:2330",
     "driver": {"value": "nvidia"}, "driver_version": {"value": "580.65.06"}},
    {"accelerator": "rocm", "address": "0000:c1:00.0", "id": "1002:740f", "parts": 2,
     "arch": {"value": "gfx90a"}, "driver": {"value": "amdgpu"}, "memory": {"value": 4096}}]}})";

Json changed(const char* pointer, const Json& value) {
  Json json = Json::parse(kMachine);
  json[Json::json_pointer(pointer)] = value;
  return json;
}

MachineCase read(const FakeRoot& root, const Json& json) {
  const fs::path file = root.host_path("/").parent_path() / "machine.json";
  std::ofstream(file) << json;
  return read_machine_case(file);
}

/// The fakes are files that hold their own name.
void render_to(FakeRoot& root, const Json& json) {
  const fs::path fakes = root.scratch() / "fakes";
  for (const char* variant : {"lib", "old"}) {
    fs::create_directories(fakes / variant);
    for (const char* name : {"libnvidia-ml.so.1", "libcuda.so.1"})
      std::ofstream(fakes / variant / name) << variant << "/" << name;
  }
  render(read(root, json), root, fakes, root.scratch() / "lib");
}

}  // namespace

TEST_CASE(
    "a machine's file that has an unknown key, expects nothing or has another schema is refused") {
  const FakeRoot root;
  CHECK_NOTHROW(read(root, Json::parse(kMachine)));
  CHECK_THROWS(read(root, changed("/fault", Json::object())));
  CHECK_THROWS(read(root, changed("/expect", Json::object())));
  CHECK_THROWS(read(root, changed("/schema", 2)));
  CHECK_THROWS(read(root, changed("/faults", {{"nvidia/nvlm", Json::object()}})));
}

TEST_CASE("a toolchain or a fault that can't be rendered is refused") {
  FakeRoot root;
  CHECK_THROWS(render_to(root, changed("/faults", {{"pci", "broken"}})));
  CHECK_THROWS(render_to(root, changed("/faults", {{"disk", "absent"}})));
  CHECK_THROWS(render_to(
      root, changed("/machine/toolchains", {{{"id", "x"}, {"kind", "x"}, {"state", "partial"}}})));
}

TEST_CASE("a machine has its devices on the bus and what their drivers leave") {
  FakeRoot root;
  render_to(root, Json::parse(kMachine));
  const PosixSystem system = root.system();
  CHECK(system.read_file("/sys/bus/pci/devices/0000:17:00.0/vendor") == "0x10de\n");
  CHECK(system.resolve("/sys/bus/pci/devices/0000:17:00.0/driver") ==
        "/sys/bus/pci/drivers/nvidia");
  CHECK(system.read_file("/sys/module/nvidia/version") == "580.65.06\n");
  CHECK(system.exists("/proc/driver/nvidia/gpus/0000:17:00.0/information"));
  const auto node = system.read_file("/sys/class/kfd/kfd/topology/nodes/2/properties");
  CHECK(node->find("gfx_target_version 90010\n") != std::string::npos);
  CHECK(node->find("location_id 49408\n") != std::string::npos);
  CHECK_FALSE(system.exists("/sys/class/kfd/kfd/topology/nodes/3"));
}

TEST_CASE("each surface fails alone") {
  FakeRoot no_bus, no_driver, no_nodes;
  render_to(no_bus, changed("/faults", {{"pci", "absent"}}));
  CHECK_FALSE(no_bus.system().exists("/sys/bus/pci/devices"));
  CHECK(no_bus.system().exists("/proc/driver/nvidia/version"));
  render_to(no_driver, changed("/faults", {{"driver", "absent"}}));
  CHECK(no_driver.system().exists("/sys/bus/pci/devices/0000:17:00.0/vendor"));
  CHECK_FALSE(no_driver.system().exists("/proc/driver/nvidia"));
  render_to(no_nodes, changed("/faults", {{"kfd", "unreadable"}}));
  CHECK(no_nodes.system().exists("/sys/class/kfd/kfd/topology/nodes/1/properties"));
  CHECK_FALSE(no_nodes.system().read_file("/sys/class/kfd/kfd/topology/nodes/1/properties"));
  CHECK(no_nodes.system().exists("/proc/driver/nvidia/version"));
}

TEST_CASE("libraries are those that sources and faults name, but for missing ones") {
  FakeRoot root;
  Json json = changed("/machine/sources", {{{"id", "nvidia/nvml"}}, {{"id", "amd/rocm_smi"}}});
  json["faults"] = {{"nvidia/cuda", Json::object()},
                    {"amd/rocm_smi", {{"missing", true}}},
                    {"nvidia/nvml", {{"variant", "old"}}}};
  render_to(root, json);
  const fs::path libraries = root.scratch() / "lib";
  CHECK(read_file(libraries / "libnvidia-ml.so.1") == "old/libnvidia-ml.so.1");
  CHECK(read_file(libraries / "libcuda.so.1") == "lib/libcuda.so.1");
  CHECK_FALSE(fs::exists(libraries / "librocm_smi64.so.1"));
}
