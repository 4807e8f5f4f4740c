#include <catch2/catch.hpp>

#include "machines/machines.h"
#include "unit/probe/support.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using namespace dsbuild::probe::tests;
using Texts = std::vector<std::string>;

namespace {

Toolchain first(FakeProbe& probe) {
  return of_kind(probe.run(), "clang-ptxas").front();
}

}  // namespace

TEST_CASE("clang and a ptxas are a toolchain for the archs and the PTX that both know") {
  struct Row {
    const char* clang;
    const char* release;
    const char* ptx;
    const char* ptx_release;
  };
  // facts: cubins were made with these pairs.
  for (const Row& row :
       {Row{"19.1.7", "11.8", "ptx78", "11.8"}, Row{"19.1.7", "12.4", "ptx84", "12.4"},
        Row{"19.1.7", "12.9", "ptx85", "12.5"}, Row{"19.1.7", "13.0", "ptx85", "12.5"},
        Row{"14.0.6", "12.4", "ptx75", "11.5"}, Row{"99.0.0", "13.5", "ptx95", "13.5"}}) {
    INFO(row.clang << " with ptxas " << row.release);
    FakeRoot root;
    machines::add_clang(root, "/usr/bin/clang++", row.clang);
    machines::add_ptxas(root, "/usr/bin/ptxas", {.release = row.release});
    FakeProbe probe(root);
    const Toolchain toolchain = only(probe.run(), "clang-ptxas");
    CHECK(toolchain.state == ToolchainState::complete);
    CHECK(toolchain.version->number() == row.clang);
    CHECK(value(toolchain, "ptx") == row.ptx);
    CHECK(value(toolchain, "ptx_release") == row.ptx_release);
    CHECK(value(toolchain, "ptxas_version") == row.release);
    CHECK(value(toolchain, "cxx") == "/usr/bin/clang++");
    CHECK(value(toolchain, "ptxas") == "/usr/bin/ptxas");
    CHECK(toolchain.origin == "PATH");
  }
}

TEST_CASE("the archs are those of both, in numeric order") {
  FakeRoot root;
  machines::add_clang(root, "/usr/bin/clang++", "19.1.7");
  machines::add_ptxas(root, "/usr/bin/ptxas", {.archs = machines::kArchs130});
  FakeProbe probe(root);
  CHECK(first(probe).archs ==
        Texts{"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"});
}

TEST_CASE("the newest clang is taken, and one before 14 isn't") {
  FakeRoot root;
  machines::add_ptxas(root, "/usr/bin/ptxas", {.release = "12.4"});
  machines::add_clang(root, "/usr/bin/clang++", "13.0.1");
  FakeProbe probe(root);
  CHECK(first(probe).state == ToolchainState::partial);
  CHECK(first(probe).missing[0].find("clang++ 14 or newer") == 0);
  machines::add_clang(root, "/usr/bin/clang++-16", "16.0.6");
  machines::add_clang(root, "/usr/bin/clang++-19", "19.1.7");
  CHECK(first(probe).path == "/usr/bin/clang++-19");
}

TEST_CASE("a clang that is demanded is taken, though another one is newer, which isn't asked") {
  FakeRoot root;
  machines::add_clang(root, "/usr/bin/clang++-19", "19.1.7");
  machines::add_clang(root, "/opt/clang/bin/clang++", "14.0.6");
  machines::add_ptxas(root, "/usr/bin/ptxas", {.release = "12.4"});
  FakeProbe probe(root);
  probe.options.toolkits["clang"] = "/opt/clang/bin/clang++";
  CHECK(value(first(probe), "cxx") == "/opt/clang/bin/clang++");
  CHECK(root.log().find("clang++-19 --print-supported-cpus --target=nvptx64") == std::string::npos);
}

TEST_CASE("a ptxas is found in toolkits, wheels and triton; the same one once") {
  FakeRoot root;
  machines::add_clang(root, "/usr/bin/clang++", "19.1.7");
  machines::add_cuda(root, {});
  root.program("/usr/local/bin/ptxas", "#!/bin/sh\nexec /usr/local/cuda-13.0/bin/ptxas \"$@\"\n");
  const std::string packages = "/venv/lib/python3.11/site-packages";
  machines::add_ptxas(root, packages + "/nvidia/cuda_nvcc/bin/ptxas", {.release = "12.4"});
  machines::add_ptxas(root, packages + "/triton/backends/nvidia/bin/ptxas", {.release = "12.9"});
  FakeProbe probe(root);
  probe.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"VIRTUAL_ENV", "/venv"}};
  const auto found = of_kind(probe.run(), "clang-ptxas");
  REQUIRE(found.size() == 3);
  CHECK(value(found[0], "ptxas") == "/usr/local/cuda-13.0/bin/ptxas");
  CHECK(value(found[0], "ptxas_version") == "13.0");
  CHECK(value(found[1], "ptxas_version") == "12.4");
  CHECK(value(found[2], "ptxas_version") == "12.9");
  CHECK(found[0].identity != found[1].identity);
  CHECK(found[1].id == "clang-ptxas-19.1.7#2");
}

TEST_CASE("the files of a toolkit say its ptxas' version, so that isn't asked") {
  FakeRoot root;
  machines::add_clang(root, "/usr/bin/clang++", "19.1.7");
  machines::add_cuda(root, {});
  FakeProbe probe(root);
  CHECK(value(first(probe), "ptxas_major") == "13");
  CHECK(root.log().find("ptxas --version") == std::string::npos);
}

TEST_CASE("a half is partial and says what the other half would be") {
  FakeRoot root;
  FakeProbe probe(root);
  SECTION("no ptxas") {
    machines::add_clang(root, "/usr/bin/clang++", "19.1.7");
    CHECK(first(probe).missing == Texts{"ptxas on PATH, in a CUDA toolkit or in Python packages"});
  }
  SECTION("no clang") {
    machines::add_ptxas(root, "/usr/bin/ptxas", {});
    CHECK(first(probe).path == "/usr/bin/ptxas");
    CHECK(first(probe).missing[0].find("clang++ 14 or newer, with the target nvptx64") == 0);
  }
  SECTION("a clang without NVIDIA's target") {
    machines::add_ptxas(root, "/usr/bin/ptxas", {});
    root.tool("/usr/bin/clang++", "echo 'clang version 18.1.0'\n");
    CHECK(first(probe).state == ToolchainState::partial);
  }
  SECTION("a ptxas that says nothing") {
    machines::add_clang(root, "/usr/bin/clang++", "19.1.7");
    root.tool("/usr/bin/ptxas", "exit 1\n");
    CHECK(first(probe).missing == Texts{"/usr/bin/ptxas (version not understood: exit status 1)"});
  }
  SECTION("two halves that don't meet") {
    machines::add_clang(root, "/usr/bin/clang++", "14.0.6");
    machines::add_ptxas(root, "/usr/bin/ptxas", {.archs = {"100", "120"}});
    CHECK(first(probe).state == ToolchainState::partial);
    CHECK(first(probe).missing == Texts{"an arch that it and /usr/bin/ptxas both know"});
  }
  SECTION("neither") {
    CHECK(first(probe).state == ToolchainState::absent);
    CHECK(first(probe).version.reason == "neither a clang++ nor a ptxas");
  }
}

TEST_CASE(
    "the flag --toolkit chooses the ptxas by file or folder, or stays absent with the reason") {
  FakeRoot root;
  machines::add_clang(root, "/usr/bin/clang++", "19.1.7");
  machines::add_ptxas(root, "/usr/bin/ptxas", {});
  machines::add_ptxas(root, "/opt/old/bin/ptxas", {.release = "11.8"});
  FakeProbe probe(root);
  for (const char* path : {"/opt/old", "/opt/old/bin", "/opt/old/bin/ptxas"}) {
    probe.options.toolkits["clang-ptxas"] = path;
    CHECK(value(first(probe), "ptxas_version") == "11.8");
    CHECK(first(probe).demanded);
  }
  probe.options.toolkits["clang-ptxas"] = "/opt";
  CHECK(first(probe).state == ToolchainState::absent);
  CHECK(first(probe).version.reason == "--toolkit clang-ptxas=/opt holds no ptxas");
}
