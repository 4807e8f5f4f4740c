#include "manifest/tree.h"

#include <catch2/catch.hpp>

#include "manifest/include_scan.h"
#include "manifest/paths.h"
#include "manifest/read_sources.h"
#include "unit/manifest/sample.h"

using namespace dsbuild;
using namespace dsbuild::manifest;
using namespace dsbuild::manifest::test;
using dsbuild::test::TempFolder;
using dsbuild::test::write_text;

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kTree = R"json({
  "schema": 1, "name": "pkg", "summary": "A package",
  "layouts": [
    {"marker": "op/builder.py", "version": {"file": "version.txt", "regex": ["^([0-9.]+)"]}},
    {"marker": "pkg/ops/op/builder.py", "version": {"file": "pkg/v.py", "regex": ["^v='([0-9.]+)"]},
     "moved": {"csrc": "pkg/ops/csrc"}}],
  "folders": {"cutlass": {"variables": ["CUTLASS_PATH"], "marker": "a.h", "hint": "get it"}}
})json";

constexpr std::string_view kAdam = R"json({
  "schema": 1, "name": "adam", "kind": "python_extension", "summary": "Adam",
  "module": "pkg.ops.adam_op", "include": ["csrc/inc"], "needs": {"folders": ["cutlass"]},
  "parts": [
    {"on": {"host": "*"}, "binding": ["csrc/adam.cpp"], "sources": ["csrc/plain.cpp"]},
    {"on": {"host": "*"}, "when": {"source": "<1.5"}, "sources": ["csrc/old.cpp"]}]
})json";

/// The sample with a tree's manifests, and its sources in both layouts.
class TreeRoot : public SampleRoot {
 public:
  TreeRoot() {
    write("manifests/pkg/tree.json", kTree);
    write("manifests/pkg/adam.json", kAdam);
    write("checkout/op/builder.py", "");
    write("checkout/version.txt", "1.2.3\n");
    write("site/pkg/ops/op/builder.py", "");
    write("site/pkg/v.py", "x=1\nv='2.0.1'\n");
    for (const std::string base : {"checkout/", "site/pkg/ops/"}) {
      write(base + "csrc/adam.cpp", "#include \"adam.h\"\n");
      write(base + "csrc/plain.cpp", "#include <cstdio>\n");
      write(base + "csrc/inc/adam.h", "  #  include <torch/extension.h>\n");
    }
    write("checkout/csrc/old.cpp", "");
  }
  Catalog read_tree(const std::string& place, Diagnostics& diagnostics) const {
    CatalogSources sources;
    sources.tree = folder / place;
    return read(diagnostics, sources);
  }
};

}  // namespace

TEST_CASE("the ops of a source tree are read only where --source names one, and then alone",
          "[tree]") {
  const TreeRoot root;
  Diagnostics diagnostics;
  CHECK_FALSE(root.read(diagnostics).ops.contains("adam"));
  const Catalog catalog = root.read_tree("checkout", diagnostics);
  CHECK(diagnostics.all().empty());
  REQUIRE(catalog.tree);
  CHECK(catalog.tree->version->text == "1.2.3");
  CHECK(catalog.ops.size() == 1);
  const Op& op = catalog.ops.at("adam");
  REQUIRE(op.parts.size() == 2);
  CHECK(op.parts[0].binding == std::vector<fs::path>{root.folder / "checkout/csrc/adam.cpp"});
  CHECK(op.options.include == std::vector<fs::path>{root.folder / "checkout/csrc/inc"});
}

TEST_CASE("an installed package has its sources elsewhere, and its own folder will do", "[tree]") {
  const TreeRoot root;
  for (const char* place : {"site", "site/pkg"}) {
    Diagnostics diagnostics;
    const Catalog catalog = root.read_tree(place, diagnostics);
    INFO(place);
    CHECK(diagnostics.all().empty());
    REQUIRE(catalog.tree);
    CHECK(catalog.tree->root == root.folder / "site");
    // The part of older versions is left out, so that its file need not be there.
    const Op& op = catalog.ops.at("adam");
    REQUIRE(op.parts.size() == 1);
    CHECK(op.parts[0].binding == std::vector<fs::path>{root.folder / "site/pkg/ops/csrc/adam.cpp"});
  }
}

TEST_CASE("an op that this version of the tree hasn't got is nothing to wait for", "[tree]") {
  TreeRoot root;
  root.write("manifests/pkg/pin.json", R"json({
    "schema": 1, "name": "pin", "kind": "python_extension", "summary": "Pin", "module": "pkg.pin_op",
    "parts": [{"on": {"host": "*"}, "when": {"source": ">=2"}, "binding": ["csrc/plain.cpp"]}]
  })json");
  root.write("manifests/pkg/aio.json", R"json({
    "schema": 1, "name": "aio", "kind": "python_extension", "summary": "Aio", "module": "pkg.aio_op",
    "after": ["pin"], "parts": [{"on": {"host": "*"}, "binding": ["csrc/adam.cpp"]}]
  })json");
  Diagnostics diagnostics;
  CHECK(root.read_tree("checkout", diagnostics).ops.at("aio").after.empty());
  CHECK(root.read_tree("site", diagnostics).ops.at("aio").after == std::vector<std::string>{"pin"});
  CHECK(diagnostics.all().empty());
}

TEST_CASE("a folder that is no tree is told with the trees that are known", "[tree]") {
  const TreeRoot root;
  CatalogSources sources;
  sources.tree = root.folder / "manifests";
  const auto told = root.told(sources);
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("holds no source tree") != std::string::npos);
  CHECK(told[0].find("known are: pkg") != std::string::npos);
}

TEST_CASE("paths are resolved by their folders as they would be one by one", "[tree]") {
  const TempFolder root;
  write_text(root / "real/sub/file", "");
  fs::create_directory_symlink("real", root / "link");
  fs::create_directory_symlink("../link/sub", root / "real/turn");
  fs::create_symlink("sub/file", root / "real/to_file");
  fs::create_symlink("no_such_file", root / "real/to_nothing");
  const PosixSystem system;
  RealPaths paths(system);
  for (const char* path :
       {"real", "real/sub/file", "link/sub/file", "real/turn/file", "link/turn", "link/turn/../..",
        "link/to_file", "link/turn/../to_file", "real/to_nothing", "link/", "real/./sub"}) {
    INFO(path);
    CHECK(paths.resolve(root / path) == system.resolve(root / path));
    CHECK(paths.resolve(root / path) == system.resolve(root / path));
  }
  CHECK(paths.resolve("/") == system.resolve("/"));
}

TEST_CASE("sources that read torch's header, through headers of the tree too, are known",
          "[tree]") {
  TreeRoot root;
  Diagnostics diagnostics;
  Catalog catalog = root.read_tree("checkout", diagnostics);
  const ExtensionPart& part = catalog.ops.at("adam").parts[0];
  CHECK(part.torch_sources.empty());
  read_sources(PosixSystem(), {"adam", "no_such_op"}, catalog);
  CHECK(part.torch_sources == std::set<fs::path>{root.folder / "checkout/csrc/adam.cpp"});

  const PosixSystem system;
  root.write("a.h", "#include \"b.h\"\n");
  root.write("b.h", "#include \"a.h\"\n#include <x/y.h>\n");
  IncludeScan scan(system);
  CHECK(scan.includes(root.folder / "a.h", {}, "x/y.h"));
  CHECK_FALSE(scan.includes(root.folder / "a.h", {}, "y.h"));
  CHECK_FALSE(scan.includes(root.folder / "nowhere.h", {}, "x/y.h"));

  root.write("source.cu", "#include \"a.h\"\nint lanes = LANES;\n");
  CHECK(scan.headers_of(root.folder / "source.cu", {}) ==
        std::vector<fs::path>{root.folder / "a.h", root.folder / "b.h"});
  CHECK(scan.mentions(root.folder / "source.cu", "LANES"));
  CHECK_FALSE(scan.mentions(root.folder / "a.h", "LANES"));
}
