#include "report/survey_findings.h"

#include <catch2/catch.hpp>

#include "manifest/read.h"

namespace dsbuild::report {
namespace {

probe::FolderLimits folder(const char* use, std::int64_t size, std::int64_t free) {
  probe::FolderLimits made;
  made.use = use;
  made.path = "/there";
  made.size = Fact<std::int64_t>::known(size, "statvfs");
  made.free = Fact<std::int64_t>::known(free, "statvfs");
  return made;
}

std::vector<Finding> findings_of(const probe::Survey& survey) {
  std::vector<Finding> findings;
  add_survey_findings(survey, findings);
  return findings;
}

TEST_CASE("a folder that a build can't use is a warning, a small /dev/shm is none") {
  constexpr std::int64_t kGiB = 1LL << 30;
  probe::Survey survey;
  survey.limits.folders = {folder("temp", 90 * kGiB, 80 * kGiB),
                           folder("shared memory", 64LL << 20, 64LL << 20)};
  auto findings = findings_of(survey);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].weight == Weight::note);
  CHECK(findings[0].remedy == "docker run --shm-size=1g, or a larger tmpfs at /there");

  survey.limits.folders = {folder("temp", kGiB, 100LL << 20)};
  survey.limits.folders[0].noexec = true;
  survey.limits.folders[0].network = true;
  findings = findings_of(survey);
  REQUIRE(findings.size() == 3);
  CHECK(findings[0].weight == Weight::warning);
  CHECK(findings[0].cause == "the temp folder /there is mounted noexec");
  CHECK(findings[1].weight == Weight::note);
  CHECK(findings[2].weight == Weight::warning);
  CHECK(findings[2].cause == "the temp folder /there has 105 MB left");

  survey.limits.folders[0].size = Fact<std::int64_t>::missing("it isn't there");
  CHECK(findings_of(survey).empty());
}

TEST_CASE("ops that a framework claims without their file are told once, together") {
  probe::Framework framework;
  framework.name = "deepspeed";
  framework.prefix = "/venv";
  const auto file = Fact<std::string>::known("/venv/ops/a.so", "/venv/ops");
  const auto none = Fact<std::string>::missing("no such file");
  framework.ops = {{"a", true, file}, {"b", true, none}, {"c", false, none}, {"d", true, none}};
  probe::Survey survey;
  survey.frameworks = {framework};
  const auto findings = findings_of(survey);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].cause == "deepspeed of /venv claims ops that have no file: b, d");
  framework.ops.resize(1);
  survey.frameworks = {framework};
  CHECK(findings_of(survey).empty());
}

TEST_CASE("a device without a driver is told where its accelerator matters") {
  probe::Machine machine;
  machine.devices.resize(2);
  machine.devices[0].accelerator = machine.devices[1].accelerator = "gpu";
  machine.devices[0].id = "10de:2330";
  machine.devices[0].address = "0000:17:00.0";
  machine.devices[0].driver = Fact<std::string>::missing("no driver is bound to it", "/sys");
  machine.devices[0].problem = machine.devices[0].driver.reason;
  machine.devices[1].driver = Fact<std::string>::known("nvidia", "/sys");
  std::vector<Finding> findings;
  add_device_findings({}, machine, {}, {"cpu"}, findings);
  CHECK(findings.empty());
  add_device_findings({}, machine, {}, {"gpu"}, findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].cause == "the device 10de:2330 at 0000:17:00.0: no driver is bound to it");
  CHECK(findings[0].remedy == "install its vendor's driver, or load the module (modprobe)");
}

TEST_CASE("D12: a device that this user can't use is told once, with what mends that") {
  probe::Machine machine;
  machine.devices.resize(1);
  machine.devices[0].accelerator = "gpu";
  machine.devices[0].id = "1002:740f";
  machine.devices[0].address = "0000:c1:00.0";
  machine.devices[0].driver = Fact<std::string>::known("amdgpu", "/sys");
  machine.devices[0].problem = "this user can't open /dev/kfd";
  machine.devices[0].fix = "add the user to the group render";
  machine.sources.resize(1);
  machine.sources[0].id = "amd/kfd";
  machine.sources[0].status = "no_permission";
  std::vector<Finding> findings;
  add_device_findings({}, machine, {}, {"gpu"}, findings);
  add_source_findings(machine, {"gpu"}, findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].cause == "the device 1002:740f at 0000:c1:00.0: this user can't open /dev/kfd");
  CHECK(findings[0].remedy == "add the user to the group render");
}

TEST_CASE("a source that can't answer is told with its fix, one that has nothing to say is not") {
  probe::Machine machine;
  machine.sources.resize(3);
  machine.sources[0].id = "nvidia/nvml";
  machine.sources[0].status = "version_mismatch";
  machine.sources[0].message = "library and driver have different versions";
  machine.sources[0].fix = "reboot";
  machine.sources[0].library = "/usr/lib/libnvidia-ml.so.1";
  machine.sources[1].status = "ok";
  machine.sources[2].status = "not_applicable";
  machine.devices.resize(1);
  machine.devices[0].accelerator = "cuda";
  machine.devices[0].address = "0000:17:00.0";
  machine.devices[0].disagreements = {"arch sm_90 by nvidia/nvml, sm_80 by table"};
  std::vector<Finding> findings;
  add_source_findings(machine, {"cuda"}, findings);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].cause ==
        "nvidia/nvml says version_mismatch: library and driver have different versions");
  CHECK(findings[0].remedy == "reboot");
  CHECK(findings[0].weight == Weight::warning);
  std::vector<Finding> of_cpu;
  add_source_findings(machine, {"cpu"}, of_cpu);
  REQUIRE(of_cpu.size() == 1);
  CHECK(of_cpu[0].weight == Weight::note);
  CHECK(findings[1].cause == "0000:17:00.0: arch sm_90 by nvidia/nvml, sm_80 by table");
}

TEST_CASE("a device that nothing of the plan runs on is a warning, one that PTX serves is none") {
  Diagnostics diagnostics;
  manifest::CatalogSources sources;
  sources.built_in = DSBUILD_SOURCE_DIR;
  const manifest::Catalog catalog = manifest::read_catalog(PosixSystem(), sources, diagnostics);
  plan::Plan plan;
  for (const auto& [arch, form] :
       {std::pair{"sm_75", "cubin"}, {"sm_90", "cubin"}, {"sm_90", "ptx"}}) {
    plan::Entry entry;
    entry.op = "a";
    entry.accelerator = "cuda";
    entry.arch = arch;
    entry.form = form;
    entry.state = plan::EntryState::planned;
    plan.entries.push_back(entry);
  }
  probe::Machine machine;
  for (const char* arch : {"sm_70", "sm_70", "sm_90", "sm_120"}) {
    probe::Device device;
    device.accelerator = "cuda";
    device.id = "10de:1db5";
    device.address = "0000:3b:00.0";
    device.driver = Fact<std::string>::known("nvidia", "/sys");
    device.arch = Fact<std::string>::known(arch, "table");
    machine.devices.push_back(device);
  }
  std::vector<Finding> findings;
  add_device_findings(catalog, machine, plan, {"cuda"}, findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].weight == Weight::warning);
  CHECK(findings[0].cause ==
        "nothing that would be built for cuda runs on sm_70, the arch of the device 10de:1db5 at "
        "0000:3b:00.0");
}

}  // namespace
}  // namespace dsbuild::report
