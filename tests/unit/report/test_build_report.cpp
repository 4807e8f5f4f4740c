#include <catch2/catch.hpp>

#include "base/json.h"
#include "report/accelerator_section.h"
#include "report/build_report.h"

using namespace dsbuild;
using plan::Entry;
using plan::EntryState;

namespace {

Entry planned(const char* op, const char* accelerator, const char* arch, const char* form) {
  Entry entry;
  entry.op = op;
  entry.accelerator = accelerator;
  entry.arch = arch;
  entry.form = form;
  entry.state = EntryState::planned;
  return entry;
}

Entry skipped(const char* op, const char* accelerator, const char* arch = "") {
  Entry entry;
  entry.arch = arch;
  entry.op = op;
  entry.accelerator = accelerator;
  entry.reason = plan::Reason{plan::ReasonCode::toolchain_absent, "no compiler", "install one"};
  return entry;
}

}  // namespace

TEST_CASE("the ops table has one row per op and accelerator, with archs or the reason") {
  plan::Plan plan;
  plan.entries = {planned("a", "cpu", "", "library"), planned("a", "gpu", "g1", "bin"),
                  planned("a", "gpu", "g2", "bin"), planned("a", "gpu", "g2", "text"),
                  skipped("a", "npu")};
  const auto rows = report::summarize_ops(plan);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].archs == std::vector<std::string>{"g1", "g2", "g2+text"});
  CHECK(rows[1].archs.empty());
  REQUIRE(rows[1].skips.size() == 1);
  CHECK(rows[1].skips[0].text() == "no compiler (install one)");
}

TEST_CASE("an arch that is left out of an accelerator that is built is told with its reason") {
  plan::Plan plan;
  plan.entries = {planned("a", "gpu", "g1", "bin"), skipped("a", "gpu", "g2"),
                  skipped("a", "gpu", "g3")};
  const auto rows = report::summarize_ops(plan);
  REQUIRE(rows.size() == 1);
  REQUIRE(rows[0].skips.size() == 1);
  CHECK(rows[0].skips[0].text() == "g2 g3: no compiler (install one)");
  const std::string text = report::render_text(report::make_report({}, plan, "1"), {});
  CHECK(text.find("not g2 g3: no compiler (install one)") != std::string::npos);
}

TEST_CASE("a fact that is missing is told with its reason, never as a zero") {
  probe::Machine machine;
  machine.host.memory = Fact<std::int64_t>::missing("no /proc/meminfo");
  machine.cpu.level = Fact<std::string>::missing("not an x86-64 CPU");
  const std::string text = report::render_text(report::make_report(machine, {}, "1"), {});
  CHECK(text.find("unknown: no /proc/meminfo") != std::string::npos);
  CHECK(text.find("unknown: not an x86-64 CPU") != std::string::npos);
  CHECK(text.find("0 B") == std::string::npos);
}

TEST_CASE("L02: a source of the probe that failed is a note below the host") {
  probe::Machine machine;
  machine.problems = {"devices: the probe failed: odd"};
  const std::string text = report::render_text(report::make_report(machine, {}, "1"), {});
  CHECK(text.find("devices: the probe failed: odd") < text.find("accelerators"));
  CHECK(report::make_report_json(machine, {}, "1")["machine"]["problems"][0] ==
        "devices: the probe failed: odd");
}

TEST_CASE("the JSON report has the reasons by code") {
  plan::Plan plan;
  plan.entries = {skipped("a", "npu")};
  const Json json = report::make_report_json({}, plan, "1");
  CHECK(json["schema"] == 1);
  CHECK(json["ops"][0]["skipped"][0]["code"] == "toolchain_absent");
}

TEST_CASE("accelerators that are neither here nor usable share a line, and their toolchains too") {
  probe::AcceleratorState here;
  here.name = "near";
  here.detected = probe::Presence::yes;
  here.rule = "PCI address 0000:17:00.0 (10de:2330)";
  here.toolchain = Fact<std::string>::missing("no complete nearcc");
  here.kinds = {"nearcc"};
  probe::AcceleratorState far;
  far.name = "far";
  far.reason = "no command far-smi";
  far.toolchain = Fact<std::string>::missing("no compiler is known");
  far.kinds = {"farcc"};
  probe::Machine machine;
  machine.accelerators.list = {far, here};
  machine.accelerators.chosen = Fact<std::string>::known("near", here.rule);
  for (const char* kind : {"farcc", "nearcc"}) {
    probe::Toolchain toolchain;
    toolchain.kind = kind;
    toolchain.version = Fact<Version>::missing("not on PATH");
    machine.toolchains.push_back(toolchain);
  }
  const std::string text = report::render_text(report::make_report(machine, {}, "1"), {false, 200});
  CHECK(text.find("near  yes       no      PCI address 0000:17:00.0") != std::string::npos);
  CHECK(text.find("neither: far (") != std::string::npos);
  CHECK(text.find("would take near here: PCI address") != std::string::npos);
  CHECK(text.find("absent, for accelerators that are not detected: farcc\n") != std::string::npos);
  CHECK(text.find("nearcc  -        absent") != std::string::npos);

  const std::string all =
      report::render_text(report::make_accelerators_report(machine.accelerators), {false, 200});
  CHECK(all.find("no command far-smi") != std::string::npos);
  CHECK(all.find("no compiler is known") != std::string::npos);

  machine.toolchains[0].demanded = true;  // the user is told what became of it
  CHECK(report::render_text(report::make_report(machine, {}, "1"), {false, 200}).find("farcc") !=
        std::string::npos);
  CHECK(report::make_report_json(machine, {}, "1")["machine"]["toolchains"].size() == 2);
}
