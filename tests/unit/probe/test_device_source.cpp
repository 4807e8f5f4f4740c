#include "probe/devices/device_source.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "probe/devices/ask_sources.h"
#include "unit/probe/support.h"

namespace dsbuild::probe::tests {
namespace {

/// A source with four devices, of which any may be lost when it is counted, or throw when asked.
class Scripted final : public DeviceSource {
 public:
  struct Script {
    SourceStatus status;
    std::set<std::size_t> lost;
    std::set<std::size_t> throwing;
    int loads = 0;
    int unloads = 0;
  };
  explicit Scripted(Script& script) : script_(script) {}

  std::string_view id() const override { return "test/scripted"; }
  std::string_view type() const override { return "test"; }
  SourceStatus load() override {
    ++script_.loads;
    if (script_.status.status == "throws") throw std::runtime_error("no memory");
    return script_.status;
  }
  void unload() override { ++script_.unloads; }
  std::vector<SourceDevice> devices() override {
    std::vector<SourceDevice> list(4);
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].address = "0000:0" + std::to_string(i) + ":00.0";
      if (script_.lost.count(i) > 0) list[i].problem = "lost";
    }
    return list;
  }
  Fact<std::int64_t> energy(std::size_t place) override {
    if (script_.throwing.count(place) > 0) throw std::runtime_error("broke");
    return Fact<std::int64_t>::known(static_cast<std::int64_t>(place) * 100, "counter");
  }

 private:
  Script& script_;
};

TEST_CASE("an accelerator without a source can't be made", "[device_source]") {
  CHECK_THROWS_AS(DeviceAccelerator(nullptr), std::invalid_argument);
}

TEST_CASE("an accelerator runs only from a start that worked to its stop", "[device_source]") {
  Scripted::Script script;
  DeviceAccelerator accelerator(std::make_unique<Scripted>(script));
  CHECK(accelerator.type() == "test");
  CHECK(accelerator.implementation() == "test/scripted");
  CHECK_FALSE(accelerator.running());
  CHECK(accelerator.report().status == "skipped");

  script.status = unusable("driver_not_loaded", "no driver", "load it");
  CHECK(accelerator.start().status == "driver_not_loaded");
  CHECK_FALSE(accelerator.running());
  CHECK(accelerator.report().message == "no driver");
  CHECK(accelerator.report().driver_version.reason == "no driver");
  accelerator.stop();
  CHECK(script.unloads == 0);

  script.status = {};
  accelerator.start();
  accelerator.start();
  CHECK(accelerator.running());
  CHECK(script.loads == 2);
  CHECK(accelerator.report().status == "ok");
  accelerator.stop();
  CHECK_FALSE(accelerator.running());
  CHECK(script.unloads == 1);
  CHECK(accelerator.report().message == "it was stopped");
  CHECK(accelerator.report().devices.empty());
}

TEST_CASE("a source that throws while it is loaded is a status", "[device_source]") {
  Scripted::Script script;
  script.status.status = "throws";
  DeviceAccelerator accelerator(std::make_unique<Scripted>(script));
  CHECK(accelerator.start().status == "crashed");
  CHECK(accelerator.report().message == "no memory");
}

TEST_CASE("devices that are lost or break take nothing from the others, nor their places",
          "[device_source]") {
  Scripted::Script script;
  script.lost = {1};
  script.throwing = {2};
  DeviceAccelerator accelerator(std::make_unique<Scripted>(script));
  accelerator.start();
  const SourceReport report = accelerator.report();
  REQUIRE(report.devices.size() == 4);
  CHECK(report.status == "degraded");
  CHECK(report.message == "2 of 4 devices can't be asked");
  CHECK(report.devices[1].problem == "lost");
  CHECK(report.devices[2].problem == "broke");
  CHECK(report.devices[3].address == "0000:03:00.0");
  CHECK(*report.devices[3].energy == 300);
  CHECK(report.devices[3].energy.confidence == Confidence::measured);
  CHECK(report.devices[3].power.reason == "test/scripted doesn't tell it");
}

TEST_CASE("every source has a row of its own: none replaces another, and all are asked",
          "[device_source]") {
  std::set<std::string_view> ids;
  for (const SourceRow& row : all_sources()) {
    CHECK(ids.insert(row.id).second);
    const FakeRoot root;
    const PosixSystem system = root.system();
    const auto source = row.make({"/no/library", &system, {}});
    CHECK(source->id() == row.id);
    CHECK(source->type() == row.accelerator);
    DeviceAccelerator accelerator(row.make({"/no/library", &system, {}}));
    CHECK(accelerator.start().status == (row.reads_files() ? "not_applicable" : "library_missing"));
    CHECK_FALSE(accelerator.running());
  }
  for (const char* id : {"dummy", "nvidia/nvml", "nvidia/cuda", "nvidia/pci", "amd/kfd",
                         "amd/rocm_smi", "amd/pci", "pci"})
    CHECK(ids.count(id) == 1);
}

}  // namespace
}  // namespace dsbuild::probe::tests
