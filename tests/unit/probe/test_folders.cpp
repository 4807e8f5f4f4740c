// Where the folders that a source tree's ops need are found, in places that are made here.
#include <catch2/catch.hpp>

#include "unit/probe/support.h"

namespace dsbuild::probe::tests {
namespace {

/// The built-in descriptors and a tree that needs CUTLASS.
manifest::Catalog make_tree_catalog() {
  manifest::Catalog catalog = built_in_catalog();
  catalog.ops.clear();
  catalog.tree.emplace();
  manifest::FolderRule& rule = catalog.tree->folders["cutlass"];
  rule.variables = {"CUTLASS_PATH", "CUTLASS_HOME"};
  rule.packages = {"cutlass_library/source"};
  rule.places = {"/opt/cutlass", "/usr/local"};
  rule.words = {{"IGNORE", "none"}, {"PYTHON", "packages"}};
  rule.marker = "include/cutlass/cutlass.h";
  rule.version = {"include/cutlass/version.h",
                  {"^#define CUTLASS_MAJOR +([0-9]+)", "^#define CUTLASS_MINOR +([0-9]+)"}};
  return catalog;
}

void add_cutlass(FakeRoot& root, const std::string& folder) {
  root.file(folder + "/include/cutlass/cutlass.h");
  root.file(folder + "/include/cutlass/version.h",
            "#define CUTLASS_MAJOR 3\n#define CUTLASS_MINOR 5\n#define CUTLASS_PATCH 1\n");
}

constexpr const char* kSite = "/venv/lib/python3.11/site-packages";

void add_torch(FakeRoot& root) {
  root.file("/venv/pyvenv.cfg", "home = /usr/bin\n");
  root.file(std::string(kSite) + "/torch/version.py", "__version__ = '2.9.0'\n");
  root.file(std::string(kSite) + "/torch/lib/libtorch.so");
}

Folder find(const FakeRoot& root, Environment environment) {
  const manifest::Catalog catalog = make_tree_catalog();
  environment["PATH"] = "/usr/bin";
  environment["VIRTUAL_ENV"] = "/venv";
  ProbeOptions options;
  options.same_host = false;
  options.torches = true;
  CountingRunner runner;
  return probe_machine(root.system(environment), runner, catalog, options).folders.at("cutlass");
}

TEST_CASE("a folder is where its variable says, and nowhere else then") {
  FakeRoot root;
  add_cutlass(root, "/home/me/cutlass");
  add_cutlass(root, "/opt/cutlass");
  const Folder named = find(root, {{"CUTLASS_PATH", "/home/me/cutlass"}});
  CHECK(*named.path == "/home/me/cutlass");
  CHECK(named.path.source == "CUTLASS_PATH=/home/me/cutlass");
  CHECK(named.version->number() == "3.5");
  CHECK(*find(root, {{"CUTLASS_HOME", "/home/me/cutlass"}}).path == "/home/me/cutlass");
  const Folder wrong = find(root, {{"CUTLASS_PATH", "/home/me"}});
  CHECK_FALSE(wrong.path);
  CHECK(wrong.path.reason == "CUTLASS_PATH=/home/me holds no include/cutlass/cutlass.h");
  CHECK(*find(root, {{"CUTLASS_PATH", " "}}).path == "/opt/cutlass");
}

TEST_CASE("a folder is in a package beside torch before it is in the system's places") {
  FakeRoot root;
  add_torch(root);
  add_cutlass(root, "/usr/local");
  CHECK(*find(root, {}).path == "/usr/local");
  add_cutlass(root, std::string(kSite) + "/cutlass_library/source");
  const Folder found = find(root, {});
  CHECK(*found.path == std::string(kSite) + "/cutlass_library/source");
  CHECK(found.path.source == "Python packages of /venv");
}

TEST_CASE("words of a folder's variable: only packages, or nothing at all") {
  FakeRoot root;
  add_torch(root);
  add_cutlass(root, "/opt/cutlass");
  const Folder none = find(root, {{"CUTLASS_PATH", "IGNORE"}});
  REQUIRE(none.path);
  CHECK(none.path->empty());
  const Folder missing = find(root, {{"CUTLASS_PATH", "PYTHON"}});
  CHECK(missing.path.reason == "CUTLASS_PATH=PYTHON: no Python package beside torch holds it");
  add_cutlass(root, std::string(kSite) + "/cutlass_library/source");
  CHECK(find(root, {{"CUTLASS_PATH", "PYTHON"}}).path->ends_with("cutlass_library/source"));
}

TEST_CASE("a folder that is nowhere says where it was looked for") {
  FakeRoot root;
  const Folder none = find(root, {});
  CHECK_FALSE(none.path);
  CHECK(none.path.reason ==
        "no include/cutlass/cutlass.h was found; CUTLASS_PATH is not set; CUTLASS_HOME is not set; "
        "no Python package beside torch has it; it is not in /opt/cutlass, /usr/local");
}

}  // namespace
}  // namespace dsbuild::probe::tests
