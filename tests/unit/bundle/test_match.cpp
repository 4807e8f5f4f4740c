#include "bundle/match.h"

#include <catch2/catch.hpp>

#include "unit/bundle/shop.h"

namespace dsbuild::bundle {
namespace {

BundleFile image(const char* op, const char* accelerator, const char* arch, const char* form) {
  BundleFile file;
  file.op = op;
  file.accelerator = accelerator;
  file.arch = arch;
  file.form = form;
  file.path = std::string("images/") + op + "/" + accelerator + "/" + arch + "." + form;
  if (file.form != "so") file.needs = {{"driver", ">=13.0"}};
  return file;
}

BundleIndex bundle() {
  BundleIndex index;
  BundleFile library;
  library.path = "lib/x86_64-linux-gnu/transformer.so";
  library.op = "transformer";
  library.accelerator = "cpu";
  library.form = "library";
  library.needs = {{"glibc", ">=2.34"}};
  index.files = {image("transformer", "cpu", "x86-64-v2", "so"),
                 image("transformer", "cpu", "x86-64-v3", "so"),
                 image("transformer", "cuda", "sm_80", "cubin"),
                 image("transformer", "cuda", "sm_100", "cubin"),
                 image("transformer", "cuda", "sm_80", "ptx"),
                 library};
  index.gaps = {
      {"transformer", "rocm", "", "toolchain_absent", "no clang for gfx here", "get one"}};
  return index;
}

probe::Device device(const char* accelerator, Fact<std::string> arch) {
  probe::Device made;
  made.accelerator = accelerator;
  made.id = "10de:9999";
  made.arch = std::move(arch);
  return made;
}

probe::Machine machine(const char* level, std::vector<probe::Device> devices) {
  probe::Machine made;
  made.host.libc = Fact<std::string>::known("glibc 2.36", "test");
  made.cpu.level = Fact<std::string>::known(level, "test");
  made.devices = std::move(devices);
  return made;
}

Fact<std::string> arch(const char* name) {
  return Fact<std::string>::known(name, "test");
}

TEST_CASE("the host loads the best image that its level runs", "[match]") {
  const auto v4 = match_bundle(bundle(), catalog(), machine("x86-64-v4", {}));
  REQUIRE(v4.size() == 1);
  CHECK(v4[0].op == "transformer");
  CHECK(v4[0].accelerator == "cpu");
  CHECK(v4[0].image == "images/transformer/cpu/x86-64-v3.so");
  const auto v2 = match_bundle(bundle(), catalog(), machine("x86-64-v2", {}));
  CHECK(v2[0].image == "images/transformer/cpu/x86-64-v2.so");
  const auto v1 = match_bundle(bundle(), catalog(), machine("x86-64-v1", {}));
  CHECK(v1[0].image.empty());
  CHECK(v1[0].reason == "x86-64-v1 is no arch of cpu");
}

TEST_CASE("F01: a bundle of levels that the CPU lacks says which there are", "[match]") {
  BundleIndex index;
  index.files = {image("transformer", "cpu", "x86-64-v4", "so")};
  const auto matches = match_bundle(index, catalog(), machine("x86-64-v3", {}));
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].image.empty());
  CHECK(matches[0].reason == "none of its images runs on it: x86-64-v4");
}

TEST_CASE("F01: what was built for one host runs where the CPU has all that its CPU had",
          "[match]") {
  BundleIndex index;
  index.files = {image("transformer", "cpu", "native", "so")};
  index.host_bound = true;
  index.host_features = {"avx2"};
  probe::Machine host = machine("x86-64-v3", {});
  host.cpu.features = Fact<std::vector<std::string>>::known({"avx2", "fma"}, "test");
  CHECK(match_bundle(index, catalog(), host).at(0).image == "images/transformer/cpu/native.so");
  CHECK(match_bundle(index, catalog(), host).at(0).reason.empty());

  index.host_features = {"avx2", "avx512f"};
  const Match lacks = match_bundle(index, catalog(), host).at(0);
  CHECK(lacks.image.empty());
  CHECK(lacks.reason == "images/transformer/cpu/native.so needs avx512f, which this CPU lacks");
  // With a level beside it that runs there, that one is loaded.
  index.files.push_back(image("transformer", "cpu", "x86-64-v3", "so"));
  CHECK(match_bundle(index, catalog(), host).at(0).image == "images/transformer/cpu/x86-64-v3.so");
  CHECK(match_bundle(index, catalog(), host).at(0).reason.empty());

  index.files.pop_back();
  host.cpu.features = Fact<std::vector<std::string>>::missing("no CPUID");
  CHECK_THAT(match_bundle(index, catalog(), host).at(0).reason,
             Catch::EndsWith("what this one has is not known: no CPUID"));
}

TEST_CASE("F01: a module for the host is matched by the level that it needs", "[match]") {
  BundleIndex index;
  BundleFile module;
  module.path = "extensions/cpu/pkg/ops/hello_op.cpython-311-x.so";
  module.op = "hello";  // of no manifest here
  module.accelerator = "cpu";
  module.form = plan::kExtensionForm;
  module.needs = {{"cpu", "x86-64-v4"}, {"torch", "==2.15"}};
  index.files = {module};
  const auto v3 = match_bundle(index, catalog(), machine("x86-64-v3", {}));
  REQUIRE(v3.size() == 1);
  CHECK(v3[0].op == "hello");
  CHECK(v3[0].image.empty());
  CHECK(v3[0].reason == "none of its images runs on it: x86-64-v4");
  const auto v4 = match_bundle(index, catalog(), machine("x86-64-v4", {}));
  CHECK(v4.at(0).image == module.path);
  CHECK(v4.at(0).needs == "torch ==2.15");
}

TEST_CASE("a device loads its own form before the portable one, and says what that needs",
          "[match]") {
  const auto matches = match_bundle(
      bundle(), catalog(),
      machine("x86-64-v3", {device("cuda", arch("sm_86")), device("cuda", arch("sm_86")),
                            device("cuda", arch("sm_90")), device("cuda", arch("sm_75")),
                            device("cuda", Fact<std::string>::missing("no row in the table"))}));
  REQUIRE(matches.size() == 5);  // the second sm_86 is no news
  CHECK(matches[1].image == "images/transformer/cuda/sm_80.cubin");
  CHECK(matches[1].needs == "driver >=13.0");
  CHECK(matches[2].image == "images/transformer/cuda/sm_80.ptx");
  CHECK(matches[3].reason == "none of its images runs on it: sm_80+ptx sm_80 sm_100");
  CHECK(matches[4].device.empty());
  CHECK(matches[4].reason == "the arch is not known: no row in the table");
}

TEST_CASE("A09: an image that the driver is too old for isn't loaded; one that it runs is",
          "[match]") {
  probe::Machine old = machine("x86-64-v3", {device("cuda", arch("sm_86"))});
  probe::AcceleratorState& cuda = old.accelerators.list.emplace_back();
  cuda.name = "cuda";
  const auto version = [](const char* text) {
    return Fact<Version>::known(*Version::parse(text), "test");
  };
  cuda.driver = version("535.104.05");
  cuda.driver_level = version("12.2");
  const Match none = match_bundle(bundle(), catalog(), old)[1];
  CHECK(none.image.empty());
  CHECK(none.reason ==
        "images/transformer/cuda/sm_80.cubin needs a driver that runs >=13.0, and 535.104.05 "
        "runs 12.2 and older");
  CHECK(none.driver_too_old);
  BundleIndex index = bundle();
  index.files[4].needs["driver"] = ">=12.1";  // the PTX, made by an older toolkit
  const Match portable = match_bundle(index, catalog(), old)[1];
  CHECK(portable.image == "images/transformer/cuda/sm_80.ptx");
  CHECK(portable.reason.empty());
  CHECK_FALSE(portable.driver_too_old);
  old.devices[0].arch = arch("sm_75");  // that nothing of the bundle is for, whatever the driver
  const Match unfit = match_bundle(bundle(), catalog(), old)[1];
  CHECK(unfit.reason == "none of its images runs on it: sm_80+ptx sm_80 sm_100");
  CHECK_FALSE(unfit.driver_too_old);
  old.devices[0].arch = arch("sm_86");
  cuda.driver_level = Fact<Version>::missing("newer than the table");
  CHECK(match_bundle(bundle(), catalog(), old)[1].image == "images/transformer/cuda/sm_80.cubin");
}

TEST_CASE("what the bundle was made without is told, in its own words", "[match]") {
  BundleIndex index = bundle();
  const probe::Machine mi300 = machine("x86-64-v3", {device("rocm", arch("gfx942"))});
  CHECK(match_bundle(index, catalog(), mi300)[1].reason == "no clang for gfx here");
  index.gaps.clear();
  CHECK(match_bundle(index, catalog(), mi300)[1].reason == "the bundle was made without rocm");
}

TEST_CASE("an older libc than the host library needs leaves nothing to load", "[match]") {
  probe::Machine old = machine("x86-64-v3", {device("cuda", arch("sm_80"))});
  old.host.libc = Fact<std::string>::known("glibc 2.28", "test");
  for (const Match& match : match_bundle(bundle(), catalog(), old)) {
    CHECK(match.image.empty());
    CHECK(match.reason == "lib/x86_64-linux-gnu/transformer.so needs glibc >=2.34, there is 2.28");
  }
  old.host.libc = Fact<std::string>::known("musl 1.2.4", "test");
  CHECK(match_bundle(bundle(), catalog(), old)[0].reason ==
        "lib/x86_64-linux-gnu/transformer.so needs glibc, there is musl 1.2.4");
}

TEST_CASE("device code inside a fat library counts like images", "[match]") {
  BundleIndex index;
  BundleFile fat;
  fat.op = "transformer";
  fat.accelerator = "cuda";
  fat.path = "lib/x86_64-linux-gnu/cuda/transformer.so";
  fat.archs = {"sm_80", "sm_90+ptx"};
  index.files = {fat};
  const auto matches = match_bundle(
      index, catalog(),
      machine("x86-64-v3", {device("cuda", arch("sm_120")), device("cuda", arch("sm_75"))}));
  REQUIRE(matches.size() == 3);
  CHECK(matches[1].image == fat.path);
  CHECK(matches[2].image.empty());
}

}  // namespace
}  // namespace dsbuild::bundle
