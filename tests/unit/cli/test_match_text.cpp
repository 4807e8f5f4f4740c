#include "cli/match_text.h"

#include <catch2/catch.hpp>

using namespace dsbuild;

TEST_CASE("A09: what only a newer driver would load is told, and nothing else") {
  bundle::Match old_driver;
  old_driver.op = "one";
  old_driver.accelerator = "cuda";
  old_driver.device = "sm_90";
  old_driver.reason = "images/one.ptx needs a driver that runs >=13.0, and 550 runs 12.4 and older";
  old_driver.driver_too_old = true;
  bundle::Match loads = old_driver;
  loads.op = "two";
  loads.image = "images/two.cubin";
  loads.driver_too_old = false;
  bundle::Match other_arch = loads;
  other_arch.image.clear();
  const auto lines = cli::describe_old_drivers({old_driver, loads, other_arch});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] == "one won't load on the sm_90 of this machine: " + old_driver.reason);
}
