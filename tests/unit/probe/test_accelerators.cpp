#include <catch2/catch.hpp>

#include <algorithm>

#include "machines/machines.h"
#include "unit/probe/support.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using namespace dsbuild::probe::tests;

namespace {

const AcceleratorState& state_of(const AcceleratorStates& states, const std::string& name) {
  const auto found = std::find_if(states.list.begin(), states.list.end(),
                                  [&](const AcceleratorState& s) { return s.name == name; });
  REQUIRE(found != states.list.end());
  return *found;
}

AcceleratorStates look(const FakeRoot& root, Environment environment = {{"PATH", "/usr/bin"}},
                       const manifest::Catalog& catalog = built_in_catalog()) {
  CountingRunner runner;
  ProbeOptions options;
  options.same_host = false;
  const PosixSystem system = root.system(std::move(environment));
  AcceleratorStates states = probe_machine(system, runner, catalog, options).accelerators;
  CHECK(runner.count() == 0);
  return states;
}

/// A descriptor with one detection rule.
manifest::Catalog catalog_with(manifest::DetectRule rule) {
  manifest::Catalog catalog;
  manifest::Accelerator& one = catalog.accelerators["one"];
  one.name = "one";
  one.detect = {std::move(rule)};
  return catalog;
}

std::string rule_of(const FakeRoot& root, manifest::DetectRule rule,
                    Environment environment = {{"PATH", "/usr/bin"}}) {
  const AcceleratorStates states =
      look(root, std::move(environment), catalog_with(std::move(rule)));
  return states.list.at(0).rule;
}

using Kind = manifest::DetectRule::Kind;

}  // namespace

TEST_CASE("a file rule takes any of the files, and tells what its regex found") {
  FakeRoot root;
  root.file("/sys/class/acc/0/kind", "vendor 7\n");
  CHECK(rule_of(root, {Kind::file, "/sys/class/acc/*/kind", "", {}}) ==
        "file /sys/class/acc/0/kind");
  CHECK(rule_of(root, {Kind::file, "/sys/class/acc/*/kind", "^vendor (8)$", {}}).empty());
  root.file("/sys/class/acc/1/kind", "name x\nvendor 8\n");
  CHECK(rule_of(root, {Kind::file, "/sys/class/acc/*/kind", "^vendor (8)$", {}}) ==
        "file /sys/class/acc/1/kind (8)");
}

TEST_CASE("a tool rule takes a command on PATH, and only there") {
  FakeRoot root;
  root.tool("/opt/acc/bin/acc-smi", "exit 1\n");
  CHECK(rule_of(root, {Kind::tool, "acc-smi", "", {}}).empty());
  CHECK(rule_of(root, {Kind::tool, "acc-smi", "", {}}, {{"PATH", "/opt/acc/bin"}}) ==
        "command /opt/acc/bin/acc-smi");
}

TEST_CASE("a library rule looks in its folders, the variable's, ld.so.conf's and the usual ones") {
  const std::vector<std::pair<std::string, Environment>> places{
      {"/opt/acc/lib", {}},
      {"/srv/lib", {{"LD_LIBRARY_PATH", "/nowhere:/srv/lib"}}},
      {"/usr/local/acc", {}},
      {"/usr/lib64", {}}};
  for (const auto& [folder, environment] : places) {
    INFO(folder);
    FakeRoot root;
    root.file("/etc/ld.so.conf.d/acc.conf", "# ours\n/usr/local/acc\n");
    root.file(folder + "/libacc.so.1");
    CHECK(rule_of(root, {Kind::library, "libacc.so.1", "", {"/opt/acc/lib"}}, environment) ==
          "library " + folder + "/libacc.so.1");
    CHECK(rule_of(root, {Kind::library, "libacc.so", "", {"/opt/acc/lib"}}, environment).empty());
  }
}

TEST_CASE("a Python rule takes an installed package without starting Python") {
  FakeRoot root;
  root.folder("/venv/lib/python3.11/site-packages/torch_acc");
  CHECK(rule_of(root, {Kind::python, "torch_acc", "", {}}, {{"VIRTUAL_ENV", "/venv"}}) ==
        "Python package /venv/lib/python3.11/site-packages/torch_acc");
  CHECK(rule_of(root, {Kind::python, "torch_other", "", {}}, {{"VIRTUAL_ENV", "/venv"}}).empty());
}

TEST_CASE("a host without devices takes the host, and says what it looked for") {
  FakeRoot root;
  machines::add_host(root);
  root.folder("/sys/bus/pci/devices");
  const AcceleratorStates states = look(root);
  CHECK(*states.chosen == "cpu");
  CHECK(states.list.back().name == "cpu");
  const AcceleratorState& hpu = state_of(states, "hpu");
  CHECK(hpu.detected == Presence::no);
  CHECK(hpu.reason.find("no PCI device, ") == 0);
  CHECK(hpu.reason.find("command hl-smi") != std::string::npos);
  CHECK_FALSE(hpu.toolchain);
  CHECK(state_of(states, "dummy").detected == Presence::unknown);
}

TEST_CASE("where PCI devices can't be seen, a device is unknown, not absent") {
  FakeRoot root;
  machines::add_host(root);
  CHECK(state_of(look(root), "cuda").detected == Presence::unknown);
}

TEST_CASE("the PCI bus decides, and an address is said") {
  FakeRoot root;
  machines::add_host(root);
  machines::add_pci(root, "0000:17:00.0", "0x10de", "0x2330", "0x030200");
  machines::add_pci(root, "0000:00:02.0", "0x8086", "0x9a49", "0x030000");  // no data-centre GPU
  const AcceleratorStates states = look(root);
  CHECK(*states.chosen == "cuda");
  CHECK(states.chosen.source == "PCI address 0000:17:00.0 (10de:2330)");
  CHECK(state_of(states, "xpu").detected == Presence::no);
  CHECK(state_of(states, "cuda").toolchain.reason.find("install a CUDA toolkit") !=
        std::string::npos);
}

TEST_CASE("what compiles is told without a device, in the order of a plan") {
  FakeRoot root;
  machines::add_host(root);
  machines::add_gcc(root, "/usr/bin/g++", "12.2.0");
  machines::add_clang(root, "/usr/bin/clang++", "19.1.7");
  FakeProbe probe(root);
  const AcceleratorStates states = probe.run().accelerators;
  CHECK(*state_of(states, "cpu").toolchain == "gcc-12.2.0");
  CHECK(*state_of(states, "emu").toolchain == "gcc-12.2.0");
  CHECK(*state_of(states, "rocm").toolchain == "clang-amdgpu-19.1.7");
  CHECK(state_of(states, "rocm").detected != Presence::yes);
}

TEST_CASE("accelerators are looked for in DeepSpeed's order") {
  const FakeRoot root;
  std::vector<std::string> names;
  for (const AcceleratorState& state : look(root).list) names.push_back(state.name);
  // https://github.com/deepspeedai/DeepSpeed/blob/master/accelerator/real_accelerator.py
  const std::vector<std::string> theirs{"xpu", "npu",  "sdaa",  "mps",  "hpu",
                                        "mlu", "supa", "klxpu", "cuda", "rocm"};
  REQUIRE(names.size() > theirs.size());
  CHECK(std::equal(theirs.begin(), theirs.end(), names.begin()));
}

TEST_CASE("a card that exports another vendor's names is not taken for that vendor's") {
  FakeRoot root;
  machines::add_host(root);
  machines::add_pci(root, "0000:3b:00.0", "0x1e3e", "0x0001", "0x120000");
  root.file("/proc/driver/nvidia/version", "NVRM version: Kernel Module  1.0  now\n");
  manifest::Catalog catalog = built_in_catalog();
  manifest::Accelerator& corex = catalog.accelerators["zcorex"];
  corex.name = "zcorex";
  corex.unbuilt = "a test";
  corex.pci.push_back({0x1e3e, {}, {}, false});
  CHECK(*look(root, {{"PATH", "/usr/bin"}}, catalog).chosen == "cuda");  // nothing is said yet
  corex.imitates = {"cuda"};
  const AcceleratorStates states = look(root, {{"PATH", "/usr/bin"}}, catalog);
  CHECK(*states.chosen == "zcorex");
  CHECK(state_of(states, "cuda").detected == Presence::no);
  CHECK(state_of(states, "cuda").reason.find("may be of zcorex, which imitates it") !=
        std::string::npos);

  machines::add_pci(root, "0000:17:00.0", "0x10de", "0x2330", "0x030200");
  const AcceleratorStates both = look(root, {{"PATH", "/usr/bin"}}, catalog);
  CHECK(*both.chosen == "zcorex");
  CHECK(state_of(both, "cuda").detected == Presence::yes);
}

TEST_CASE("DS_ACCELERATOR beats what is here, by any of the names") {
  FakeRoot root;
  machines::add_host(root);
  machines::add_pci(root, "0000:17:00.0", "0x10de", "0x2330", "0x030200");
  const Fact<std::string> named = look(root, {{"DS_ACCELERATOR", "hip"}}).chosen;
  CHECK(*named == "rocm");
  CHECK(named.source == "DS_ACCELERATOR");
  CHECK(look(root, {{"DS_ACCELERATOR", "hipp"}}).chosen.reason ==
        "no descriptor has the name 'hipp'");
}

TEST_CASE("a driver's version is looked up by number in its vendor's table") {
  FakeRoot root;
  const auto cuda = [&root](const std::string& line) {
    root.file("/proc/driver/nvidia/version", line + "\nGCC version:  gcc version 12.2.0\n");
    return state_of(look(root), "cuda");
  };
  const AcceleratorState old = cuda(
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023");
  CHECK(old.driver->text == "535.104.05");
  CHECK(old.driver.source == "/proc/driver/nvidia/version");
  CHECK(old.driver_level->number() == "12.2");
  CHECK(old.driver_level.source == "runs it from 535.54.03 on");
  CHECK(old.aliases.empty());
  const std::string open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  ";
  CHECK(cuda(open + "525.60.11  Release Build").driver_level->number() == "11.8");
  CHECK(cuda(open + "525.60.13  Release Build").driver_level->number() == "12.0");
  CHECK(cuda(open + "580.65.06  Release Build").driver_level->number() == "13.0");
  CHECK(cuda(open + "610.99  Release Build").driver_level->number() == "13.3");
  CHECK(cuda(open + "999.1  Release Build").driver_level.reason ==
        "newer than 610.43.02, which runs 13.3");
  CHECK(cuda(open + "390.157  Release Build").driver_level.reason == "older than 450.51.05");
  CHECK(cuda("what?").driver.reason == "no version in it");
}

TEST_CASE("without a driver's file its version is missing, with the file that isn't there") {
  FakeRoot root;
  const AcceleratorStates states = look(root);
  CHECK(state_of(states, "cuda").driver.reason == "no such file");
  CHECK(state_of(states, "cuda").driver.source == "/proc/driver/nvidia/version");
  CHECK_FALSE(state_of(states, "cuda").driver_level);
  CHECK(state_of(states, "cpu").driver.reason ==
        "its descriptor doesn't say how its driver tells it");
}
