#include "manifest/read.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "base/text.h"
#include "unit/manifest/sample.h"

using namespace dsbuild;
using namespace dsbuild::manifest;
using namespace dsbuild::manifest::test;

namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

/// A `shared_library` op of one host source.
std::string small_op(const std::string& name, const std::string& source = "op.cpp") {
  return R"({"schema": 1, "name": ")" + name + R"(", "kind": "shared_library", "summary": "s",
             "host": {"sources": [")" +
         source + R"("]}})";
}

std::vector<std::string> names_of(const std::vector<fs::path>& paths, const fs::path& below) {
  std::vector<std::string> names;
  for (const fs::path& path : paths) names.push_back(path.lexically_relative(below).string());
  return names;
}

}  // namespace

TEST_CASE("an op is read with absolute paths, canonical archs and typed values", "[read]") {
  SampleRoot root;
  Diagnostics diagnostics;
  const Catalog catalog = root.read(diagnostics);
  REQUIRE(diagnostics.all().empty());
  CHECK(catalog.roots == std::vector<fs::path>{root.folder.path});
  const Op& op = catalog.ops.at("my_op");
  CHECK(op.kind == OpKind::library);
  CHECK(op.summary == "An op");
  CHECK(op.file == root.folder / "manifests/ops/my_op.json");
  CHECK(op.root == root.folder.path);
  CHECK(op.folder == root.folder / "ops/my_op");
  CHECK(names_of(op.host_sources, op.folder) == Lines{"op.cpp"});
  CHECK(op.host_options.include == std::vector<fs::path>{op.folder / "inc"});
  CHECK(op.options.defines == std::map<std::string, std::string>{{"N", "4"}});
  CHECK(op.options.flags.at("nvcc") == Lines{"-Xptxas", "-v"});
  CHECK(op.libraries == Lines{"m"});

  REQUIRE(op.kernels.size() == 3);
  CHECK(op.kernels[0].on.at("host").kind == ArchFilter::Kind::any);
  CHECK(op.kernels[0].exports == Lines{"my_kernel"});
  CHECK(op.kernels[0].freestanding);
  CHECK(op.kernels[1].on.at("gpu").kind == ArchFilter::Kind::at_least);
  CHECK(op.kernels[1].on.at("gpu").archs == Lines{"sm_80"});
  CHECK(op.kernels[1].on.at("tile").archs == Lines{"gfx90a", "gfx942"});
  CHECK(op.kernels[1].instances.at("DIM") == Lines{"64", "128"});
  CHECK(op.kernels[2].on.at("gpu").kind == ArchFilter::Kind::list);
  CHECK(op.kernels[2].on.at("gpu").archs == Lines{"sm_90a"});
  CHECK_FALSE(op.kernels[2].freestanding);
  CHECK(op.kernels[2].needs.toolchains.at("gpu").text() == ">=12.3");
  CHECK(op.kernels[2].needs.headers == Lines{"lib/lib.h"});

  CHECK(op.needs.openmp);
  CHECK(op.needs.machines == Lines{"x86_64"});
  CHECK(op.needs.commands == Lines{"git"});
  CHECK(op.needs.packages.at("liburing").text() == ">=2.0");
  REQUIRE(op.needs.libraries.size() == 1);
  CHECK(op.needs.libraries[0].name == "aio");
  CHECK(op.needs.libraries[0].symbol == "io_submit");
}

TEST_CASE("a descriptor is read as it is written", "[read]") {
  const Accelerator gpu = read_sample(kGpu);
  CHECK(gpu.archs.default_offered);
  CHECK(gpu.archs.defaults.empty());
  CHECK(gpu.archs.settings == Lines{"GPU_ARCHS"});
  REQUIRE(gpu.pci.size() == 1);
  CHECK(gpu.pci[0].vendor == 0x10de);
  CHECK(gpu.pci[0].classes == std::vector<unsigned>{0x0302});
  CHECK(gpu.pci[0].devices[0].last == 0x23ff);
  CHECK(gpu.probes[0].gives == Lines{"nvcc"});
  const ToolchainRecipe& recipe = gpu.toolchains.at(0);
  CHECK(recipe.kinds.at("nvcc").text() == ">=11.8");
  CHECK(recipe.images.at("cubin").at(0).each_source);
  CHECK(recipe.object->argv.at(1).for_form == "cubin");
  CHECK(recipe.object->argv.at(1).for_archs == Lines{"-gencode", "code={arch}"});
  CHECK(recipe.object->argv.at(0).text == "{nvcc}");
  CHECK(recipe.needs.at("cubin").at("driver") == ">={major}.0");

  const Accelerator tile = read_sample(kTile);
  CHECK(tile.archs.defaults == Lines{"gfx90a", "gfx942"});
  CHECK(tile.probes[0].gives == Lines{"cxx", "lld"});

  const Accelerator host = read_sample(kHost);
  CHECK(host.archs.native_is_host);
  CHECK(host.archs.defaults == Lines{"armv8", "v2"});  // by machine
  CHECK(host.canary == "extern \"C\" int canary;\n");
  CHECK(host.toolchains[0].images.at("so").at(0).depfile);
}

TEST_CASE("the default \"all\" is every name but native", "[read]") {
  Json json = Json::parse(kHost);
  json["archs"]["default"] = "all";
  CHECK(read_sample(json.dump()).archs.defaults == Lines{"armv8", "v2", "v3"});
}

TEST_CASE("accelerators are found by name and by alias", "[read]") {
  SampleRoot root;
  Diagnostics diagnostics;
  const Catalog catalog = root.read(diagnostics);
  REQUIRE(catalog.find_accelerator("gpu") != nullptr);
  CHECK(catalog.find_accelerator("card") == catalog.find_accelerator("gpu"));
  CHECK(catalog.find_accelerator("nothing") == nullptr);
  CHECK(catalog.host().name == "host");
  CHECK_THROWS_AS(Catalog().host(), Error);
}

TEST_CASE("manifests are found at any depth, but not schemas and other files", "[read]") {
  SampleRoot root;
  root.write("manifests/vendor/deep/er/far.json", small_op("far"));
  root.write("ops/far/op.cpp", "");
  root.write("manifests/ops/notes.txt", "{");
  root.write(
      "manifests/accelerators/more/other.json",
      replace_all(replace_all(std::string(kTile), "\"tile\"", "\"other\""), "tilecc", "othercc"));
  Diagnostics diagnostics;
  const Catalog catalog = root.read(diagnostics);
  CHECK(diagnostics.all().empty());
  CHECK(catalog.ops.contains("far"));
  CHECK(catalog.accelerators.contains("other"));
}

TEST_CASE("folders that link in a circle are read once", "[read]") {
  SampleRoot root;
  fs::create_symlink("..", root.folder / "manifests/ops/up");
  CHECK(root.told() == Lines{});
}

TEST_CASE("the runtime's manifest takes its sources from src, and is no op", "[read]") {
  SampleRoot root;
  root.write("manifests/runtime.json", small_op("dsops", "runtime/a.cpp"));
  root.write("src/runtime/a.cpp", "");
  Diagnostics diagnostics;
  const Catalog catalog = root.read(diagnostics);
  CHECK(diagnostics.all().empty());
  CHECK_FALSE(catalog.ops.contains("dsops"));
  REQUIRE(catalog.runtime);
  CHECK(catalog.runtime->folder == root.folder / "src");
  CHECK(names_of(catalog.runtime->host_sources, root.folder.path) == Lines{"src/runtime/a.cpp"});
}

TEST_CASE("other roots add ops, whose sources lie in their own ops folder", "[read]") {
  SampleRoot root;
  TempFolder other;
  write_text(other / "manifests/ops/extra.json", small_op("extra"));
  write_text(other / "ops/extra/op.cpp", "");
  Diagnostics diagnostics;
  CatalogSources sources;
  sources.roots = {other.path, other.path, root.folder.path};  // twice, and the built-in one
  const Catalog catalog = root.read(diagnostics, sources);
  CHECK(diagnostics.all().empty());
  CHECK(catalog.roots == std::vector<fs::path>{root.folder.path, other.path});
  CHECK(catalog.ops.at("extra").root == other.path);
  CHECK(catalog.ops.at("extra").folder == other / "ops/extra");
}

TEST_CASE("a manifest given by path has its sources beside it", "[read]") {
  SampleRoot root;
  TempFolder place;
  write_text(place / "mine.json", small_op("mine"));
  write_text(place / "op.cpp", "");
  Diagnostics diagnostics;
  CatalogSources sources;
  sources.manifests = {place / "mine.json"};
  const Catalog catalog = root.read(diagnostics, sources);
  CHECK(diagnostics.all().empty());
  CHECK(catalog.ops.at("mine").folder == place.path);
  CHECK(catalog.ops.at("mine").host_sources == std::vector<fs::path>{place / "op.cpp"});
  CHECK(catalog.roots.size() == 1);
}

TEST_CASE("a manifest that is given by path and lies in a root is that root's", "[read]") {
  SampleRoot root;
  Diagnostics diagnostics;
  CatalogSources sources;
  sources.manifests = {root.folder / "manifests/ops/my_op.json"};
  const Catalog catalog = root.read(diagnostics, sources);
  CHECK(diagnostics.all().empty());
  CHECK(catalog.ops.at("my_op").folder == root.folder / "ops/my_op");
}

TEST_CASE("a descriptor can be given by path", "[read]") {
  SampleRoot root;
  TempFolder place;
  write_text(
      place / "other.json",
      replace_all(replace_all(std::string(kTile), "\"tile\"", "\"other\""), "tilecc", "othercc"));
  Diagnostics diagnostics;
  CatalogSources sources;
  sources.manifests = {place / "other.json"};
  const Catalog catalog = root.read(diagnostics, sources);
  CHECK(diagnostics.all().empty());
  CHECK(catalog.accelerators.contains("other"));
}

TEST_CASE("comments are allowed in every object", "[read]") {
  SampleRoot root;
  Json json = Json::parse(kOp);
  json["$schema"] = "../schema/op.v1.json";
  for (const char* at : {"", "/host", "/kernels/0", "/kernels/0/on", "/kernels/1/instances",
                         "/defines", "/flags", "/needs", "/needs/packages", "/needs/libraries/0"}) {
    json[Json::json_pointer(at)]["$comment"] = "why";
  }
  root.write("manifests/ops/my_op.json", json.dump());
  CHECK(root.told() == Lines{});
}

TEST_CASE("every problem of every file is told in one run", "[read]") {
  SampleRoot root;
  Json json = Json::parse(kOp);
  json["kind"] = "libary";
  json["host"]["sources"][0] = "/op.cpp";
  json["kernels"][1]["on"]["gpu"] = ">=eight";
  json["flags"]["cxx"] = {"-march=native", "-O2", "-B/tmp"};
  root.write("manifests/ops/my_op.json", json.dump());
  root.write("manifests/ops/broken.json", "{\n  \"schema\": 1,\n  oops\n}");
  root.write("manifests/ops/twice.json",
             R"({"name": "a", "host": {"sources": [], "sources": []}})");
  json = Json::parse(kGpu);
  json["sources"][0] = "cu";
  root.write("manifests/accelerators/gpu.json", json.dump());

  const std::string at = root.folder.path.string() + "/manifests/";
  Lines places;
  for (const std::string& line : root.told()) {
    REQUIRE(line.starts_with(at));
    const std::string rest = line.substr(at.size());
    places.push_back(rest.substr(0, rest.find(": ", rest.find(": ") + 1)));
  }
  CHECK(places == Lines{
                      "accelerators/gpu.json: /sources/0",
                      "ops/broken.json: 3:3",
                      "ops/my_op.json: /kind",
                      "ops/my_op.json: /host/sources/0",
                      "ops/my_op.json: /kernels/1/on/gpu",
                      "ops/my_op.json: /flags/cxx/0",
                      "ops/my_op.json: /flags/cxx/2",
                      "ops/twice.json: /host/sources",
                  });
}

TEST_CASE("what is no object is told, and nothing else of that file", "[read]") {
  SampleRoot root;
  for (const char* text : {"[]", "null", "3", "\"op\""}) {
    root.write("manifests/ops/odd.json", text);
    const Lines told = root.told();
    INFO(text << ": " << join(told, "\n"));
    CHECK(told.size() == 1);
  }
}

TEST_CASE("a name belongs to one file of all roots", "[read]") {
  SampleRoot root;
  TempFolder other;
  write_text(other / "manifests/mine.json", small_op("my_op"));
  write_text(other / "ops/my_op/op.cpp", "");
  write_text(
      other / "manifests/accelerators/gpu.json",
      replace_all(replace_all(std::string(kTile), "\"tile\"", "\"gpu\""), "tilecc", "othercc"));
  CatalogSources sources;
  sources.roots = {other.path};
  CHECK(root.told(sources) == Lines{(other / "manifests/accelerators/gpu.json").string() +
                                        ": /name: the accelerator 'gpu' is already described by " +
                                        (root.folder / "manifests/accelerators/gpu.json").string() +
                                        "; rename or remove one of them",
                                    (other / "manifests/mine.json").string() +
                                        ": /name: the op 'my_op' is already described by " +
                                        (root.folder / "manifests/ops/my_op.json").string() +
                                        "; rename or remove one of them"});
}

TEST_CASE("only one accelerator is the host", "[read]") {
  SampleRoot root;
  std::string second = replace_all(std::string(kHost), "\"host\", ", "\"second\", ");
  second = replace_all(replace_all(second, "gcc", "icc"), "g++", "icc");
  root.write("manifests/accelerators/second.json", second);
  CHECK(root.told() ==
        Lines{(root.folder / "manifests/accelerators/second.json").string() +
              ": /host: the host accelerator is already host, in " +
              (root.folder / "manifests/accelerators/host.json").string() + "; remove \"host\""});
}

TEST_CASE("a catalog without a host accelerator is told", "[read]") {
  SampleRoot root;
  fs::remove(root.folder / "manifests/accelerators/host.json");
  root.write("manifests/ops/my_op.json", small_op("my_op"));
  CHECK(root.told() == Lines{(root.folder / "manifests/accelerators").string() +
                             ": no accelerator descriptor says \"host\": true; the installation is "
                             "damaged: install dsbuild again"});
}

TEST_CASE("a root without manifests is told", "[read]") {
  SampleRoot root;
  TempFolder other;
  CatalogSources sources;
  sources.roots = {other / "nowhere", other.path};
  const std::string rest =
      ": no catalog root: it has no folder manifests; name the folder that holds manifests/ and "
      "ops/";
  CHECK(root.told(sources) ==
        Lines{(other / "nowhere").string() + rest, other.path.string() + rest});
}

TEST_CASE("a file that can't be read is told", "[read]") {
  SampleRoot root;
  fs::create_symlink("gone.json", root.folder / "manifests/ops/dead.json");
  CatalogSources sources;
  sources.manifests = {"/nowhere/op.json"};
  const std::string rest = ": can't read the file; check the path and its permissions";
  CHECK(root.told(sources) == Lines{"/nowhere/op.json" + rest,
                                    (root.folder / "manifests/ops/dead.json").string() + rest});
}

TEST_CASE("an installation without its schemas stops the work", "[read]") {
  SampleRoot root;
  fs::remove(root.folder / "manifests/schema");
  Diagnostics diagnostics;
  try {
    root.read(diagnostics);
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::file_system);
    CHECK(error.where == (root.folder / "manifests/schema/accelerator.v1.json").string());
  }
}

TEST_CASE("an op folder that is a link itself is no way out of it", "[read]") {
  SampleRoot root;
  fs::rename(root.folder / "ops/my_op", root.folder / "moved");
  fs::create_symlink("../moved", root.folder / "ops/my_op");
  CHECK(root.told() == Lines{});
}

TEST_CASE("sources of one accelerator's shared library need different names", "[read]") {
  SampleRoot root;
  root.write("ops/my_op/more/op.cpp", "");
  root.write("manifests/ops/my_op.json", R"({
    "schema": 1, "name": "my_op", "kind": "shared_library", "summary": "s",
    "host": {"sources": ["op.cpp"]},
    "kernels": [{"sources": ["k.cu"], "on": {"gpu": "*"}},
                {"sources": ["k.cpp"], "on": {"host": "*"}},
                {"sources": ["more/op.cpp"], "on": {"host": "*"}}]})");
  CHECK(root.told() == Lines{(root.folder / "manifests/ops/my_op.json").string() +
                             ": /kernels/2/sources/0: 'op.cpp' and 'more/op.cpp' would make the "
                             "same object file, op.o; rename one of them"});
}

TEST_CASE("two sets make different images by name, by instance or by arch", "[read]") {
  SampleRoot root;
  const auto told_of = [&](const char* first, const char* second) {
    Json json = Json::parse(kOp);
    json["kernels"] = {Json::parse(first), Json::parse(second)};
    root.write("manifests/ops/my_op.json", json.dump());
    return root.told().size();
  };
  const char* wide = R"({"sources": ["k.cu"], "on": {"gpu": ">=8.0"}})";
  CHECK(told_of(wide, R"({"sources": ["k90.cu"], "on": {"gpu": ["9.0a"]}})") == 1);
  CHECK(told_of(wide, R"({"sources": ["k90.cu"], "on": {"gpu": ["9.0a"]}, "name": "h"})") == 0);
  CHECK(told_of(wide, R"({"sources": ["k90.cu"], "on": {"gpu": ["7.5"]}})") == 0);
  CHECK(told_of(wide, R"({"sources": ["k90.cu"], "on": {"tile": "*"}})") == 0);
  CHECK(told_of(wide, R"({"sources": ["k90.cu"], "on": {"gpu": "*"}, "instances": {"A": [1]}})") ==
        0);
}
