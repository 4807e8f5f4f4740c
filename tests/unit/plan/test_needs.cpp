#include <catch2/catch.hpp>

#include "plan/needs.h"
#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

manifest::Needs ring_needs() {
  return make_catalog().ops.at("ring").needs;
}

/// With all that the op "ring" needs and that needs no compiler to be seen.
probe::Machine make_ring_machine(const std::string& host_machine = "x86_64") {
  probe::Machine machine = make_machine(host_machine);
  machine.toolchains = {make_gcc("12.2.0")};
  machine.tools = {{"git", Fact<std::string>::known("/usr/bin/git", "PATH"), {}}};
  machine.packages["liburing"] =
      Fact<Version>::known(*Version::parse("2.3"), "/usr/lib/pkgconfig/liburing.pc");
  return machine;
}

TEST_CASE("needs that are met are no reason", "[needs]") {
  CHECK_FALSE(find_unmet_need("ring", ring_needs(), make_ring_machine()));
  CHECK_FALSE(find_unmet_need("any", {}, make_machine()));
}

TEST_CASE("a package that is missing or too old is a reason with both versions", "[needs]") {
  probe::Machine machine = make_ring_machine();
  machine.packages["liburing"] =
      Fact<Version>::known(*Version::parse("0.7"), "/usr/lib/pkgconfig/liburing.pc");
  auto reason = find_unmet_need("ring", ring_needs(), machine);
  REQUIRE(reason);
  CHECK(reason->code == ReasonCode::need_version);
  CHECK(reason->text ==
        "ring needs the package liburing >=2.0; /usr/lib/pkgconfig/liburing.pc says 0.7");
  machine.packages["liburing"] = Fact<Version>::missing("no liburing.pc");
  reason = find_unmet_need("ring", ring_needs(), machine);
  REQUIRE(reason);
  CHECK(reason->code == ReasonCode::need_missing);
  CHECK(reason->text == "ring needs the package liburing >=2.0: no liburing.pc");
  machine.packages.clear();
  CHECK(find_unmet_need("ring", ring_needs(), machine)->code == ReasonCode::need_missing);
}

TEST_CASE("a command that is missing is a reason", "[needs]") {
  probe::Machine machine = make_ring_machine();
  machine.tools.front().path = Fact<std::string>::missing("not on PATH");
  const auto reason = find_unmet_need("ring", ring_needs(), machine);
  REQUIRE(reason);
  CHECK(reason->code == ReasonCode::need_missing);
  CHECK(reason->text == "ring needs the command git: not on PATH");
}

TEST_CASE("a host machine that the op is not for is a reason", "[needs]") {
  const auto reason = find_unmet_need("ring", ring_needs(), make_ring_machine("riscv64"));
  REQUIRE(reason);
  CHECK(reason->code == ReasonCode::machine_unsupported);
  CHECK(reason->text == "ring is only for x86_64, aarch64; this machine is riscv64");
}

TEST_CASE("an op whose needs aren't met is skipped as a whole, and others are built", "[needs]") {
  probe::Machine machine = make_ring_machine();
  machine.packages.clear();
  const Made made = plan_for({}, make_catalog(), machine);
  const Entry* entry = made.skipped("ring", "cpu");
  REQUIRE(entry);
  CHECK_FALSE(entry->required);
  CHECK(made.find("ring", "cpu", "", "library")->state == EntryState::skipped);
  CHECK_FALSE(made.planned("axpy", "cpu").empty());
  CHECK(made.plan.verdict() == ExitCode::ok);
  CHECK(plan_for({{"ring"}, {}, "", {}}, make_catalog(), machine).plan.verdict() ==
        ExitCode::no_op);
}

}  // namespace
}  // namespace dsbuild::plan
