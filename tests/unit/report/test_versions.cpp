#include "report/versions.h"

#include <catch2/catch.hpp>

namespace dsbuild::report {
namespace {

using Texts = std::vector<std::string>;

Fact<Version> known(const char* version, const char* source = "a file") {
  return Fact<Version>::known(*Version::parse(version), source);
}

probe::Toolchain toolkit(const char* version, const char* folder) {
  probe::Toolchain made;
  made.kind = "gpucc";
  made.id = std::string("gpucc-") + version;
  made.path = std::string(folder) + "/bin/gpucc";
  made.state = probe::ToolchainState::complete;
  made.version = known(version);
  made.values["toolkit"] = folder;
  return made;
}

probe::Framework framework(const char* built_with, const char* prefix = "/venv") {
  probe::Framework made;
  made.name = "torch";
  made.prefix = prefix;
  made.version = Fact<std::string>::known("2.5.1", "version.py");
  made.details["card"] = Fact<std::string>::known(built_with, "version.py");
  return made;
}

/// A machine with a driver that runs 12.2, a toolkit 13.0 and a torch for 12.4.
probe::Machine sample() {
  probe::Machine machine;
  probe::AcceleratorState gpu;
  gpu.name = "gpu";
  gpu.aliases = {"card"};
  gpu.detected = probe::Presence::yes;
  gpu.kinds = {"gpucc"};
  gpu.driver = known("535.104.05", "/proc/driver/gpu");
  gpu.driver_level = known("12.2");
  machine.accelerators.list = {gpu};
  machine.toolchains = {toolkit("13.0.88", "/opt/gpu-13")};
  machine.survey.emplace();
  machine.survey->frameworks = {framework("12.4")};
  return machine;
}

plan::Entry image(const char* arch, const char* form, const char* driver) {
  plan::Entry entry;
  entry.op = "a";
  entry.accelerator = "gpu";
  entry.arch = arch;
  entry.form = form;
  entry.state = plan::EntryState::planned;
  entry.toolchain = "gpucc-13.0.88";
  entry.needs["driver"] = driver;
  return entry;
}

std::vector<Finding> find(const probe::Machine& machine, const plan::Plan& plan = {},
                          const std::set<std::string>& relevant = {"gpu"}) {
  std::vector<Finding> findings;
  add_version_findings(machine, plan, relevant, findings);
  return findings;
}

}  // namespace

TEST_CASE("driver, toolkit and framework are told apart, each with its own version", "[versions]") {
  const std::string text = render_text({"", {versions_section(sample())}}, {false, 200});
  CHECK(text.find("driver   535.104.05  /proc/driver/gpu; runs 12.2 and older") !=
        std::string::npos);
  CHECK(text.find("toolkit  13.0.88     /opt/gpu-13/bin/gpucc") != std::string::npos);
  CHECK(text.find("torch    12.4        torch 2.5.1 (/venv) was built with it") !=
        std::string::npos);
}

TEST_CASE("a driver of which nobody knows what it runs says so", "[versions]") {
  probe::Machine machine = sample();
  machine.accelerators.list[0].driver_level = Fact<Version>::missing("older than 450.51.05");
  const std::string text = render_text({"", {versions_section(machine)}}, {false, 200});
  CHECK(text.find("what it runs is not known: older than 450.51.05") != std::string::npos);
  CHECK(find(machine, {.entries = {image("g1", "bin", ">=13.0")}}).size() == 1);  // torch's
}

TEST_CASE("a build host without driver and framework has no such section", "[versions]") {
  probe::Machine machine = sample();
  machine.accelerators.list[0].driver = Fact<Version>::missing("no such file");
  machine.survey.reset();
  CHECK(versions_section(machine).rows.empty());
}

TEST_CASE("images that the driver can't run are a warning, with the archs", "[versions]") {
  probe::Machine machine = sample();
  machine.survey.reset();
  plan::Plan plan;
  plan.entries = {image("g1", "bin", ">=13.0"), image("g2", "bin", ">=13.0"),
                  image("g2", "text", ">=12.2")};
  const auto findings = find(machine, plan);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].weight == Weight::warning);
  CHECK(findings[0].cause ==
        "the driver 535.104.05 runs gpu 12.2 and older; bin images of gpucc-13.0.88 need >=13.0");
  CHECK(findings[0].consequence == "they can't be loaded here: g1, g2");
  machine.accelerators.list[0].driver_level = known("13.1");
  CHECK(find(machine, plan).empty());
}

TEST_CASE("a framework of another major is a note that names a toolkit which fits", "[versions]") {
  probe::Machine machine = sample();
  auto findings = find(machine);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].weight == Weight::note);
  CHECK(findings[0].cause ==
        "torch 2.5.1 (/venv) was built with gpu 12.4, and the toolkit that is taken, "
        "gpucc-13.0.88 at /opt/gpu-13/bin/gpucc, is another major");
  CHECK(findings[0].remedy ==
        "install a toolkit of 12.x for them and name it: --toolkit gpucc=DIR");
  machine.toolchains.push_back(toolkit("12.6.20", "/opt/gpu-12"));
  CHECK(find(machine)[0].remedy ==
        "for them take gpucc-12.6.20 at /opt/gpu-12/bin/gpucc: --toolkit gpucc=/opt/gpu-12");
}

TEST_CASE("another minor release, or what doesn't matter here, is no finding", "[versions]") {
  probe::Machine machine = sample();
  machine.survey->frameworks = {framework("13.9")};
  CHECK(find(machine).empty());
  CHECK(find(sample(), {}, {"cpu"}).empty());
  machine = sample();
  machine.accelerators.list[0].aliases.clear();  // its files name another accelerator
  CHECK(find(machine).empty());
}

}  // namespace dsbuild::report
