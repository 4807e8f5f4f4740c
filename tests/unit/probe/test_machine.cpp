#include "probe/machine.h"

#include <catch2/catch.hpp>

#include "base/json.h"
#include "machines/machines.h"
#include "unit/probe/support.h"

namespace dsbuild::probe::tests {

TEST_CASE("a machine comes back from its JSON as it was", "[machine]") {
  FakeRoot root;
  machines::add_host(root);
  machines::add_gcc(root, "/usr/bin/g++", "12.2.0");
  machines::add_clang(root, "/usr/bin/clang++-19", "19.1.7");
  machines::add_cuda(root, {});
  machines::add_pci(root, "0000:17:00.0", "0x10de", "0x2330", "0x030200");
  machines::add_pci(root, "0000:18:00.0", "0x10de", "0x3340", "0x030200");
  Machine machine = FakeProbe(root).run();
  machine.trials["key"] = {false, "no header"};
  machine.problems = {"cpu: the probe failed: odd"};
  REQUIRE(machine.devices.size() == 2);
  const Json json = to_json(machine);
  CHECK(to_json(parse_machine(json)) == json);
  CHECK(parse_machine(json).problems == machine.problems);
  CHECK(json["toolchains"].size() > 3);
  CHECK(json["devices"][1]["arch"].contains("reason"));
}

TEST_CASE(
    "a machine's JSON may lack what an older dsbuild didn't record, but not be of other types",
    "[machine]") {
  const Machine empty = parse_machine(Json::object());
  CHECK_FALSE(empty.host.os);
  CHECK(empty.toolchains.empty());
  const Machine half = parse_machine(Json::parse(R"({"cpu": {"level": {"source": "x"}}})"));
  CHECK(half.cpu.level.reason == "not recorded");
  for (const char* wrong :
       {R"(3)", R"({"host": 3})", R"({"devices": {"a": 1}})",
        R"({"toolchains": [{"state": "odd"}]})", R"({"toolchains": [{"version": {"value": "x"}}]})",
        R"({"toolchains": [{"host_limits": {"gcc": "about 3"}}]})"}) {
    INFO(wrong);
    CHECK_THROWS(parse_machine(Json::parse(wrong)));
  }
}

}  // namespace dsbuild::probe::tests
