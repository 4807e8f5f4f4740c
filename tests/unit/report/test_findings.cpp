#include "report/findings.h"

#include <catch2/catch.hpp>

#include "base/json.h"
#include "manifest/read.h"

namespace dsbuild::report {
namespace {

using plan::Entry;
using plan::EntryState;
using plan::ReasonCode;

Entry entry(const char* op, const char* accelerator, const char* arch) {
  Entry made;
  made.op = op;
  made.accelerator = accelerator;
  made.arch = arch;
  made.form = "bin";
  made.state = EntryState::planned;
  return made;
}

Entry skipped(const char* op, const char* accelerator, const char* arch,
              ReasonCode code = ReasonCode::toolchain_absent, const char* text = "no compiler") {
  Entry made = entry(op, accelerator, arch);
  made.state = EntryState::skipped;
  made.reason = plan::Reason{code, text, "install one"};
  return made;
}

probe::Machine machine_with_ninja() {
  probe::Machine machine;
  probe::Tool ninja;
  ninja.name = "ninja";
  ninja.path = Fact<std::string>::known("/usr/bin/ninja", "PATH");
  machine.tools.push_back(ninja);
  return machine;
}

TEST_CASE("one cause is one finding, with all ops and archs that it costs", "[findings]") {
  plan::Plan plan;
  plan.entries = {skipped("a", "gpu", "g1"), skipped("a", "gpu", "g2"), skipped("b", "gpu", "g2"),
                  entry("b", "gpu", "g3"), skipped("a", "npu", "")};
  const auto findings = make_findings({}, machine_with_ninja(), plan, {"gpu", "npu"});
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].weight == Weight::error);  // nothing at all for it
  CHECK(findings[0].consequence == "not built for npu: a");
  CHECK(findings[1].weight == Weight::warning);
  CHECK(findings[1].cause == "no compiler");
  CHECK(findings[1].consequence == "not built for gpu g1, g2: a, b");
  CHECK(findings[1].remedy == "install one");
}

TEST_CASE("what doesn't matter here, or is by choice, is no finding", "[findings]") {
  plan::Plan plan;
  plan.entries = {skipped("a", "npu", ""), skipped("a", "gpu", "", ReasonCode::no_kernel),
                  skipped("a", "gpu", "g1", ReasonCode::arch_filter_empty),
                  skipped("b", "gpu", "", ReasonCode::accelerator_not_requested)};
  CHECK(make_findings({}, machine_with_ninja(), plan, {"cpu", "gpu"}).empty());
  CHECK(describe_findings({}, {"cpu", "gpu"}).title == "nothing to mend for cpu, gpu");
}

TEST_CASE("no ninja, a device of unknown arch and variables that aren't passed on are told",
          "[findings]") {
  probe::Machine machine;
  probe::Device device;
  device.accelerator = "gpu";
  device.id = "10de:3340";
  device.address = "0000:01:00.0";
  device.arch = Fact<std::string>::missing("a chip without a number");
  machine.devices.push_back(device);
  plan::Plan plan;
  plan.settings.push_back({plan::kNotPassedOn, "CPATH", "environment"});
  const auto findings = make_findings({}, machine, plan, {"gpu"});
  REQUIRE(findings.size() == 3);
  CHECK(findings[0].remedy == "apt-get install ninja-build");
  CHECK(findings[1].cause ==
        "the arch of the device 10de:3340 at 0000:01:00.0 is not known: a chip without a number");
  CHECK(findings[2].weight == Weight::note);
  const Json json = findings_to_json(findings, {"gpu"});
  CHECK(json["findings"][0]["weight"] == "error");
  CHECK(json["findings"][2]["cause"] == "set in the environment: CPATH");
}

TEST_CASE("L02: a source of the probe that failed is a warning", "[findings]") {
  probe::Machine machine = machine_with_ninja();
  machine.problems = {"devices: the probe failed: odd"};
  const auto findings = make_findings({}, machine, {}, {"cpu"});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].weight == Weight::warning);
  CHECK(findings[0].cause == "devices: the probe failed: odd");
}

TEST_CASE("what is named matters, else the host and what there are devices of", "[findings]") {
  Diagnostics diagnostics;
  manifest::CatalogSources sources;
  sources.built_in = DSBUILD_SOURCE_DIR;
  const manifest::Catalog catalog = manifest::read_catalog(PosixSystem(), sources, diagnostics);
  probe::Machine machine;
  plan::Request request;
  CHECK(relevant_accelerators(catalog, machine, request) == std::set<std::string>{"cpu"});
  machine.devices.emplace_back().accelerator = "rocm";
  CHECK(relevant_accelerators(catalog, machine, request) == std::set<std::string>{"cpu", "rocm"});
  request.accelerators = {"cuda"};
  CHECK(relevant_accelerators(catalog, machine, request) == std::set<std::string>{"cuda"});
}

}  // namespace
}  // namespace dsbuild::report
