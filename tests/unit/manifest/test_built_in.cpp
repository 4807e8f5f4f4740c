#include <catch2/catch.hpp>

#include <algorithm>

#include "base/process.h"
#include "base/text.h"
#include "manifest/arch_name.h"
#include "manifest/read.h"
#include "unit/manifest/sample.h"

using namespace dsbuild;
using namespace dsbuild::manifest;
using namespace dsbuild::manifest::test;

namespace fs = std::filesystem;

namespace {

const fs::path kSource = DSBUILD_SOURCE_DIR;
const fs::path kAcme = kSource / "tests/fixtures/acme";

/// The built-in catalog with what `sources` adds to it; there must be nothing to tell.
Catalog read_built_in(CatalogSources sources = {}) {
  Diagnostics diagnostics;
  sources.built_in = kSource;
  Catalog catalog = read_catalog(PosixSystem(), sources, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) UNSCOPED_INFO(render_diagnostic(d));
  REQUIRE(diagnostics.all().empty());
  return catalog;
}

}  // namespace

TEST_CASE("the built-in catalog breaks no rule", "[built_in]") {
  const Catalog catalog = read_built_in();
  // All that DeepSpeed 0.19.8 knows (its cuda is our rocm, too), and two of ours.
  for (const char* name : {"cpu", "cuda", "rocm", "xpu", "npu", "hpu", "mlu", "mps", "sdaa", "supa",
                           "klxpu", "emu", "dummy"}) {
    INFO(name);
    CHECK(catalog.accelerators.contains(name));
  }
  CHECK(catalog.host().name == "cpu");
  CHECK(catalog.find_accelerator("hip") == &catalog.accelerators.at("rocm"));
}

TEST_CASE("the spellings that people use mean what they expect", "[built_in]") {
  const Catalog catalog = read_built_in();
  const auto name_of = [&](const char* accelerator, const char* spelling) {
    const auto arch = parse_arch_name(catalog.accelerators.at(accelerator), spelling, "x86_64");
    return arch ? arch->name + (arch->portable ? "+" : "") : "none";
  };
  CHECK(name_of("cuda", "9.0") == "sm_90");
  CHECK(name_of("cuda", "90") == "sm_90");
  CHECK(name_of("cuda", "sm_90") == "sm_90");
  CHECK(name_of("cuda", "compute_90") == "sm_90+");
  CHECK(name_of("cuda", "9.0a") == "sm_90a");
  CHECK(name_of("cuda", "10.0f") == "sm_100f");
  CHECK(name_of("cuda", "9.0+PTX") == "sm_90+");
  CHECK(name_of("cuda", "gfx90a") == "none");
  CHECK(name_of("rocm", "gfx90a") == "gfx90a");
  CHECK(name_of("rocm", "gfx90a:xnack-") == "gfx90a:xnack-");
  CHECK(name_of("rocm", "gfx11-generic") == "gfx11-generic");
  CHECK(name_of("rocm", "9.0") == "none");
  CHECK(name_of("cpu", "x86-64-v3") == "x86-64-v3");
  CHECK(name_of("cpu", "native") == "native");
  CHECK(name_of("emu", "x86_64") == "x86_64");
}

TEST_CASE("every accelerator has a recipe for images or says why there is none", "[built_in]") {
  for (const auto& [name, accelerator] : read_built_in().accelerators) {
    INFO(name);
    const bool images =
        std::any_of(accelerator.toolchains.begin(), accelerator.toolchains.end(),
                    [](const ToolchainRecipe& recipe) { return !recipe.images.empty(); });
    CHECK(images == accelerator.unbuilt.empty());
  }
}

TEST_CASE("every PCI range of a descriptor is apart from the others", "[built_in]") {
  for (const auto& [name, accelerator] : read_built_in().accelerators) {
    for (const PciRule& rule : accelerator.pci) {
      for (std::size_t i = 1; i < rule.devices.size(); ++i) {
        INFO(name << " " << rule.devices[i].chip);
        CHECK(rule.devices[i - 1].last < rule.devices[i].first);
      }
    }
  }
}

TEST_CASE("the op of the design, outside the tree, is read whole", "[built_in]") {
  TempFolder place;
  fs::copy(kSource / "tests/fixtures/my_attn/my_attn.json", place / "my_attn.json");
  for (const char* name : {"op.cpp", "k.cpp", "k.cu", "k90.cu"}) write_text(place / name, "");
  CatalogSources sources;
  sources.manifests = {place / "my_attn.json"};
  const Op op = read_built_in(sources).ops.at("my_attn");
  REQUIRE(op.kernels.size() == 3);
  CHECK(op.kernels[1].on.at("rocm").archs == std::vector<std::string>{"gfx90a", "gfx942"});
  CHECK(op.kernels[1].instances.at("HEAD_DIM") == std::vector<std::string>{"64", "128"});
  CHECK(op.kernels[2].on.at("cuda").archs == std::vector<std::string>{"sm_90a"});
  CHECK_FALSE(op.kernels[2].freestanding);
}

TEST_CASE("an accelerator that nobody knows is a file like any other", "[built_in]") {
  CatalogSources sources;
  sources.roots = {kAcme};
  const Catalog catalog = read_built_in(sources);
  const Accelerator* acme = catalog.find_accelerator("anvil");
  REQUIRE(acme != nullptr);
  CHECK(acme->name == "acme");
  CHECK(acme->archs.defaults == std::vector<std::string>{"wh", "bh"});
  CHECK(acme->probes.at(0).gives == std::vector<std::string>{"acmecc"});
  CHECK(catalog.ops.at("acme_scale").kernels.at(1).on.contains("acme"));
}

TEST_CASE("the compiler that nobody knows takes its own flags and makes images", "[built_in]") {
  if (!dsbuild::test::find_tool({"g++"})) {
    WARN("skipped: no g++ on this machine");
    return;
  }
  TempFolder folder;
  const std::string compiler = (kAcme / "bin/acmecc").string();
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), compiler);
    return dsbuild::test::run_tool(words, folder.path);
  };
  CHECK(run({"--version"}).starts_with("acmecc 2.4.1"));
  CHECK(run({"--list-targets"}) == "wh\nbh\n");
  for (const std::string target : {"wh", "bh"}) {
    run({"--target=" + target, "-DSCALE_UNROLL=4", "--deps", target + ".d", "-o", target + ".acx",
         (kAcme / "ops/acme_scale/kernels.acu").string()});
    CHECK(dsbuild::test::read_text(folder / (target + ".acx"))
              .starts_with("\x7f"
                           "ELF"));
    const std::string deps = dsbuild::test::read_text(folder / (target + ".d"));
    CHECK(deps.starts_with(target + ".acx:"));
    CHECK(deps.find("acme_scale.h") != std::string::npos);
  }
  CHECK(dsbuild::test::read_text(folder / "wh.acx") != dsbuild::test::read_text(folder / "bh.acx"));
}
