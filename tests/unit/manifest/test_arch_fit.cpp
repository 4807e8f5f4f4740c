#include <catch2/catch.hpp>

#include "manifest/arch_name.h"
#include "unit/manifest/sample.h"

namespace dsbuild::manifest {
namespace {

struct Fit {
  const char* image;
  const char* device;
  bool runs;
  bool portable_runs;
};

void check_fits(const char* accelerator, const std::vector<Fit>& rows) {
  Diagnostics diagnostics;
  const Catalog catalog = test::SampleRoot().read(diagnostics);
  const Accelerator& rules = catalog.accelerators.at(accelerator);
  for (const Fit& row : rows) {
    INFO(row.image << " on " << row.device);
    const auto image = parse_arch_name(rules, row.image, "");
    const auto device = parse_arch_name(rules, row.device, "");
    REQUIRE(image);
    REQUIRE(device);
    CHECK(arch_runs_on(rules, *image, false, *device) == row.runs);
    CHECK(arch_runs_on(rules, *image, true, *device) == row.portable_runs);
  }
}

TEST_CASE("an image runs on its capability and later ones of that major, its portable form on all",
          "[arch]") {
  check_fits("gpu", {{"sm_80", "sm_80", true, true},
                     {"sm_80", "sm_86", true, true},
                     {"sm_86", "sm_80", false, false},
                     {"sm_80", "sm_90", false, true},
                     {"sm_90", "sm_89", false, false},
                     {"sm_90", "sm_120", false, true},
                     {"sm_90a", "sm_90", true, true},
                     {"sm_90a", "sm_100", false, false},
                     {"sm_100a", "sm_103", false, false},
                     {"sm_100f", "sm_103", true, true},
                     {"sm_100f", "sm_110", false, false}});
}

TEST_CASE("an image runs on its processor or its family, unless a feature is the other way",
          "[arch]") {
  check_fits("tile", {{"gfx90a", "gfx90a", true, true},
                      {"gfx90a", "gfx90a:xnack+", true, true},
                      {"gfx90a:xnack-", "gfx90a:xnack-", true, true},
                      {"gfx90a:xnack-", "gfx90a:sramecc+:xnack+", false, false},
                      {"gfx90a:xnack-", "gfx90a", true, true},  // how it is set isn't known
                      {"gfx942", "gfx90a", false, false},
                      {"gfx11-generic", "gfx1103", true, true},
                      {"gfx11-generic", "gfx1201", false, false},
                      {"gfx9-4-generic", "gfx942", true, true},
                      {"gfx9-4-generic", "gfx90a", false, false}});
}

TEST_CASE("of archs that are a list each runs what those before it run", "[arch]") {
  check_fits("host", {{"v2", "v3", true, true}, {"v3", "v2", false, false}});
}

}  // namespace
}  // namespace dsbuild::manifest
