#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <thread>

#include "base/json.h"
#include "machines/machines.h"
#include "probe/devices/ask_sources.h"
#include "probe/devices/join_sources.h"
#include "unit/probe/support.h"

namespace dsbuild::probe::tests {
namespace {

using Text = Fact<std::string>;

/// A child that takes its time, then ends as it is told to.
class FakeRunner final : public ProcessRunner {
 public:
  ProcessResult run(const Command& command) override {
    std::this_thread::sleep_for(delay);
    const std::scoped_lock lock(mutex_);
    commands.push_back(command);
    return result;
  }
  ProcessResult result;
  std::chrono::milliseconds delay{0};
  std::vector<Command> commands;

 private:
  std::mutex mutex_;
};

ProcessResult answer(const SourceReport& report) {
  ProcessResult result;
  result.exit_code = 0;
  result.out = to_json(std::vector<SourceReport>{report}).dump();
  return result;
}

SourceReport nvml_report(const std::string& address, const std::string& arch) {
  SourceReport report;
  report.id = "nvidia/nvml";
  report.status = "ok";
  SourceDevice device;
  device.accelerator = "cuda";
  device.address = address;
  device.arch = Text::known(arch, "library");
  device.arch.confidence = Confidence::measured;
  report.devices = {device};
  return report;
}

/// A machine with an H100 by PCI, whose libraries lie where it says.
struct Asked {
  FakeRoot root;
  FakeRunner runner;
  Machine machine;
  AskOptions options;
  Environment environment{{"PATH", "/usr/bin:/bin"}};

  Asked() {
    machines::add_pci(root, "0000:17:00.0", "0x10de", "0x2330", "0x030200");
    machine = FakeProbe(root).run();
    options.program = "/dsbuild";
  }
  std::vector<SourceReport> run() {
    return ask_sources(root.system(environment), runner, machine, options);
  }
  SourceReport run(std::string_view id) {
    for (SourceReport& report : run()) {
      if (report.id == id) return report;
    }
    return {};
  }
};

TEST_CASE("sources that hang cost one limit together", "[device_asking]") {
  Asked asked;
  asked.root.file("/usr/lib/libnvidia-ml.so.1");
  const std::vector<SourceRow> rows(8, all_sources()[1]);
  REQUIRE(rows[0].id == "nvidia/nvml");
  asked.options.rows = rows;
  asked.runner.delay = std::chrono::milliseconds(300);
  asked.runner.result.timed_out = true;
  const auto start = std::chrono::steady_clock::now();
  const auto reports = asked.run();
  CHECK(std::chrono::steady_clock::now() - start < 4 * asked.runner.delay);
  REQUIRE(reports.size() == 8);
  CHECK(asked.runner.commands.size() == 8);
  for (const SourceReport& report : reports) CHECK(report.status == "timeout");
}

TEST_CASE("a child that can't be killed is left behind and named", "[device_asking]") {
  Asked asked;
  asked.root.file("/usr/lib/libnvidia-ml.so.1");
  asked.runner.result.timed_out = true;
  asked.runner.result.left_behind = 4711;
  const SourceReport report = asked.run("nvidia/nvml");
  CHECK(report.status == "timeout");
  CHECK(report.message.find("process 4711 can't be killed") != std::string::npos);
}

TEST_CASE("no process is started where no library is, and files are read all the same",
          "[device_asking]") {
  Asked asked;
  CHECK(asked.run("nvidia/nvml").status == "library_missing");
  CHECK(asked.run("amd/rocm_smi").status == "not_applicable");
  CHECK(asked.run("nvidia/pci").status == "driver_not_loaded");
  CHECK(asked.runner.commands.empty());
}

TEST_CASE("libraries see all devices, whatever variables hide from programs", "[device_asking]") {
  Asked asked;
  asked.root.file("/opt/rocm-6.4.0/lib/librocm_smi64.so.7");
  asked.environment["CUDA_VISIBLE_DEVICES"] = "1";
  asked.environment["ROCR_VISIBLE_DEVICES"] = "";
  asked.environment["OTHER"] = "1";
  asked.run();
  REQUIRE(asked.runner.commands.size() == 1);
  const Command& command = asked.runner.commands[0];
  CHECK(command.argv == std::vector<std::string>{"/dsbuild", "__probe", "amd/rocm_smi",
                                                 "/opt/rocm-6.4.0/lib/librocm_smi64.so.7"});
  CHECK(command.environment == Environment{{"OTHER", "1"}, {"PATH", "/usr/bin:/bin"}});
}

TEST_CASE("a library that answers for another vendor's device gives no fact", "[device_asking]") {
  Asked asked;
  asked.root.file("/usr/lib/libnvidia-ml.so.1");
  machines::add_pci(asked.root, "0000:18:00.0", "0x1e3e", "0x0001", "0x030200");
  asked.runner.result = answer(nvml_report("0000:18:00.0", "sm_80"));
  const SourceReport report = asked.run("nvidia/nvml");
  CHECK(report.status == "disagrees");
  CHECK(report.message.find("at 0000:18:00.0 is vendor 1e3e's") != std::string::npos);
  CHECK(report.devices.empty());
  asked.runner.result = answer(nvml_report("0000:17:00.0", "sm_90"));
  CHECK(asked.run("nvidia/nvml").status == "ok");
}

TEST_CASE("what was measured beats the table, and what the two say differently is kept once",
          "[device_asking]") {
  Asked asked;
  CHECK(asked.machine.devices[0].arch.confidence == Confidence::table);
  std::vector<SourceReport> reports{nvml_report("0000:17:00.0", "sm_91"),
                                    nvml_report("0000:99:00.0", "sm_80")};
  reports[1].id = "nvidia/cuda";
  join_sources(reports, asked.machine.devices);
  join_sources(reports, asked.machine.devices);
  const Device& device = asked.machine.devices[0];
  CHECK(*device.arch == "sm_91");
  CHECK(device.disagreements ==
        std::vector<std::string>{"arch sm_90 by PCI id 10de:2330, sm_91 by library"});
  CHECK(reports[1].disagreements ==
        std::vector<std::string>{"0000:99:00.0: no such device on the PCI bus"});
  CHECK(to_json(asked.machine)["devices"][0]["arch"]["confidence"] == "measured");
}

TEST_CASE("a device without an address is joined by the UUID that another source has for it",
          "[device_asking]") {
  Asked asked;
  std::vector<SourceReport> reports{nvml_report("0000:17:00.0", "sm_90"), nvml_report("", "sm_90")};
  reports[0].devices[0].uuid = reports[1].devices[0].uuid = Text::known("GPU-1", "library");
  reports[1].devices[0].name = Text::known("H100", "library");
  reports[1].devices[0].name.confidence = Confidence::measured;
  join_sources(reports, asked.machine.devices);
  CHECK(*asked.machine.devices[0].name == "H100");
}

}  // namespace
}  // namespace dsbuild::probe::tests
