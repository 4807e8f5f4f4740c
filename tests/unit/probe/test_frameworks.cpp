#include "probe/frameworks/frameworks.h"

#include <catch2/catch.hpp>

#include "base/json.h"
#include "machines/machines.h"
#include "probe/frameworks/python_values.h"
#include "probe/host/limits.h"
#include "unit/probe/support.h"

namespace dsbuild::probe::tests {
namespace {

constexpr const char* kSite = "/venv/lib/python3.11/site-packages";

Survey survey_of(const FakeRoot& root) {
  FakeProbe probe(root);
  probe.environment["VIRTUAL_ENV"] = "/venv";
  probe.options.survey = true;
  const Machine machine = probe.run();
  REQUIRE(machine.survey);
  return *machine.survey;
}

std::string site(const char* path) {
  return std::string(kSite) + "/" + path;
}

TEST_CASE("torch is told by its files: version, CUDA or HIP, ABI, and whose Python it is") {
  FakeRoot root;
  root.file(site("torch/__init__.py"))
      .file(site("torch-2.9.0+cu128.dist-info/METADATA"), "Name: torch\nVersion: 2.9.0+cu128\n\n")
      .file(site("torch/version.py"),
            "__all__ = ['x']\n__version__ = '2.9.0+cu128'\ndebug = False\n"
            "cuda: Optional[str] = '12.8'\nhip: Optional[str] = None\ngit_version = 'abc'\n");
  const auto found = survey_of(root).frameworks;
  REQUIRE(found.size() == 1);
  CHECK(found[0].name == "torch");
  CHECK(*found[0].version == "2.9.0+cu128");
  CHECK(*found[0].path == site("torch"));
  CHECK(found[0].python->number() == "3.11");
  CHECK(found[0].found_by == "VIRTUAL_ENV");
  CHECK(*found[0].detail("cuda") == "12.8");
  CHECK_FALSE(found[0].detail("hip"));
  CHECK_FALSE(found[0].detail("no such thing"));
}

TEST_CASE("ops that DeepSpeed claims are held against the files it would import") {
  FakeRoot root;
  root.file(site("deepspeed/__init__.py"))
      .file(site("deepspeed-0.19.8.dist-info/METADATA"), "Name: deepspeed\nVersion: 0.19.8\n\n")
      .file(
          site("deepspeed/git_version_info_installed.py"),
          "version='0.19.8'\ngit_hash='1a2b'\ngit_branch='main'\n"
          "installed_ops={'cpu_adam': True, 'fused_adam': 1, 'cpu_lion': True, 'async_io': False}\n"
          "accelerator_name='cuda'\n"
          "torch_info={'version': '2.9', 'cuda_version': '12.8'}\n")
      .file(site("deepspeed/ops/adam/cpu_adam_op.so"), "\177ELF and more")
      .file(site("deepspeed/ops/lion/cpu_lion_op.cpython-39-x86_64-linux-gnu.so"), "\177ELF");
  const auto found = survey_of(root).frameworks;
  REQUIRE(found.size() == 1);
  const auto op = [&](const std::string& name) {
    for (const PrebuiltOp& one : found[0].ops) {
      if (one.name == name) return one;
    }
    FAIL("no op " << name);
    return PrebuiltOp{};
  };
  CHECK(op("cpu_adam").claimed);
  CHECK(*op("cpu_adam").file == site("deepspeed/ops/adam/cpu_adam_op.so"));
  CHECK(op("fused_adam").claimed);
  CHECK_FALSE(op("fused_adam").file);
  CHECK(op("cpu_lion").file.reason.find("only for another Python") == 0);
  CHECK_FALSE(op("async_io").claimed);
  CHECK(*found[0].detail("accelerator_name") == "cuda");
}

TEST_CASE("broken installations are reasons, never a failure") {
  FakeRoot root;
  root.file(site("torch/__init__.py")).file(site("torch/version.py"), "\xff\xfe__version__ = \n");
  root.file(site("deepspeed/__init__.py"))
      .file(site("deepspeed/git_version_info_installed.py"), "installed_ops={'cpu_adam': [");
  root.file(site("numpy-1.24.dist-info/METADATA"), "Name: numpy\nVersion: next\n");
  const auto found = survey_of(root).frameworks;
  REQUIRE(found.size() == 3);
  for (const Framework& framework : found) {
    INFO(framework.name);
    CHECK_FALSE(framework.version);
    CHECK_FALSE(framework.version.reason.empty());
  }
}

TEST_CASE("a survey comes back from its JSON as it was, and a build makes none") {
  FakeRoot root;
  root.file(site("numpy/__init__.py"))
      .file(site("numpy-2.1.0.dist-info/METADATA"), "Name: numpy\nVersion: 2.1.0\n\n")
      .file("/usr/include/libaio.h")
      .file("/usr/lib/x86_64-linux-gnu/libaio.so");
  FakeProbe probe(root);
  probe.environment["VIRTUAL_ENV"] = "/venv";
  CHECK_FALSE(probe.run().survey);
  probe.options.survey = true;
  const Json json = to_json(probe.run());
  CHECK(json["frameworks"].size() == 1);
  CHECK(to_json(parse_machine(json)) == json);
}

TEST_CASE("libraries are found by header and file, and what brings them is told") {
  FakeRoot root;
  machines::add_host(root);
  root.file("/usr/include/libaio.h").file("/usr/lib/x86_64-linux-gnu/libaio.so");
  root.file("/usr/include/liburing.h");
  for (const Library& library : survey_of(root).libraries) {
    INFO(library.name);
    CHECK_FALSE(library.package.empty());
    CHECK(library.complete() == (library.name == "libaio"));
    if (library.name == "liburing") CHECK((library.header && !library.library));
  }
}

TEST_CASE("literals of Python files are read without Python, and nothing else is") {
  const auto value = [](const char* text) {
    const auto found = parse_python_value(text, "x");
    return found ? found->dump() : "none";
  };
  CHECK(value("x = 'a'\n") == "\"a\"");
  CHECK(value("x: Optional[str] = None\n") == "null");
  CHECK(value("x={'a': True, \"b\": [1, 2]}\n") == R"({"a":true,"b":[1.0,2.0]})");
  CHECK(value("x = 1\nx = 2\n") == "2.0");
  CHECK(value("y = 1\n") == "none");
  CHECK(value("x = f(1)\n") == "none");
  CHECK(value("x = 'a\n") == "none");
}

TEST_CASE("file systems of other hosts are known by their number") {
  REQUIRE(find_file_system(0x6969) != nullptr);
  CHECK(find_file_system(0x6969)->network);
  CHECK_FALSE(find_file_system(0x01021994)->network);
  CHECK(find_file_system(0x12345678) == nullptr);
}

}  // namespace
}  // namespace dsbuild::probe::tests
