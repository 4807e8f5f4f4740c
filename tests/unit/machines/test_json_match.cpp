// What compares machines must see each kind of difference: a check that can't fail proves nothing.
#include <catch2/catch.hpp>

#include "machines/json_match.h"

using namespace dsbuild;
using namespace dsbuild::machines;

namespace {

const Json kReport = Json::parse(R"({"machine": {
  "host": {"os": {"value": "Debian", "source": "/etc/os-release"}},
  "devices": [{"address": "0000:17:00.0", "arch": {"value": "sm_90", "source": "PCI"}},
              {"address": "0000:65:00.0", "arch": {"reason": "not listed"}}],
  "sources": [{"id": "nvidia/nvml", "status": "ok"}]}})");

/// Pointers of what differs, in order.
std::vector<std::string> pointers(const char* given, const std::vector<std::string>& elsewhere) {
  std::vector<std::string> list;
  for (const Mismatch& mismatch :
       find_mismatches(Json::parse(given), kReport.at("machine"), elsewhere, "/machine"))
    list.push_back(mismatch.pointer);
  return list;
}
std::vector<std::string> pointers(const char* given) {
  return pointers(given, {});
}

using Pointers = std::vector<std::string>;

}  // namespace

TEST_CASE("a part of a machine that is the same has no mismatch") {
  CHECK(pointers(R"({"host": {"os": {"value": "Debian"}}})").empty());
  CHECK(pointers(R"({"sources": [{"id": "nvidia/nvml"}]})").empty());
  CHECK(pointers(R"({"devices": [{"address": "0000:65:00.0"}, {"address": "0000:17:00.0"}]})")
            .empty());
}

TEST_CASE("another value, another source and a key that is not told are mismatches") {
  CHECK(pointers(R"({"host": {"os": {"value": "Fedora"}}})") == Pointers{"/machine/host/os/value"});
  CHECK(pointers(R"({"host": {"os": {"value": "Debian", "source": "uname"}}})") ==
        Pointers{"/machine/host/os/source"});
  CHECK(pointers(R"({"host": {"colour": 1}})") == Pointers{"/machine/host/colour"});
  CHECK(pointers(R"({"host": []})") == Pointers{"/machine/host"});
}

TEST_CASE(
    "a device that is missing, one too many, and a value where a reason is told are mismatches") {
  CHECK(pointers(R"({"devices": [{"address": "0000:17:00.0"}]})") == Pointers{"/machine/devices"});
  CHECK(pointers(R"({"devices": [{"address": "0000:17:00.0"}, {"address": "0000:99:00.0"}]})") ==
        Pointers{"/machine/devices/0000:99:00.0"});
  CHECK(pointers(R"({"devices": [{"address": "0000:17:00.0"},
                                 {"address": "0000:65:00.0", "arch": {"value": "sm_80"}}]})") ==
        Pointers{"/machine/devices/0000:65:00.0/arch/value"});
}

TEST_CASE("what is expected elsewhere is not compared") {
  const char* given = R"({"host": {"os": {"value": "Fedora"}}, "sources": [{"id": "pci"}]})";
  CHECK(pointers(given, {"/machine/host/os"}) == Pointers{"/machine/sources/pci"});
  CHECK(pointers(given, {"/machine/host/o", "/machine/sources"}) ==
        Pointers{"/machine/host/os/value"});
}

TEST_CASE("an expectation names its value by a pointer, elements of lists by their names") {
  CHECK(check_expectation(kReport, "/machine/sources/nvidia~1nvml/status", "ok").empty());
  CHECK(check_expectation(kReport, "/machine/devices/1/address", "0000:65:00.0").empty());
  CHECK(
      check_expectation(kReport, "/machine/devices/0000:65:00.0/arch/reason", {{"says", "listed"}})
          .empty());
}

TEST_CASE("an expectation fails where there is no such value, another one, or another text") {
  CHECK(check_expectation(kReport, "/machine/sources/amd~1kfd/status", "ok").size() == 1);
  CHECK(check_expectation(kReport, "/machine/devices/2", "x").size() == 1);
  CHECK(check_expectation(kReport, "/machine/sources/nvidia~1nvml/status", "degraded").size() == 1);
  CHECK(check_expectation(kReport, "/machine/host/os/value", {{"says", "Fedora"}}).size() == 1);
  CHECK(check_expectation(kReport, "/machine/host", {{"says", "Debian"}}).size() == 1);
}
