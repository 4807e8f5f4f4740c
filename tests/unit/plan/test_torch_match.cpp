// Torch against toolkits: machines with several of both, put together by hand.
#include "plan/torch_match.h"

#include <catch2/catch.hpp>

#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

using Strings = std::vector<std::string>;

const manifest::Accelerator& accelerator(const std::string& name) {
  static const manifest::Catalog kCatalog = make_catalog();
  return kCatalog.accelerators.at(name);
}

/// Of the pip kind: "2.7.1+cu126" and CUDA 12.6.
probe::Torch make_torch(const std::string& version, const std::string& cuda,
                        const std::string& prefix = "/venv") {
  probe::Torch torch;
  torch.id = "torch-" + version;
  torch.path = prefix + "/torch";
  torch.version = Fact<Version>::known(*Version::parse(version), "version.py");
  torch.interpreter = torch.python_include = torch.extension_suffix = torch.cxx11_abi =
      Fact<std::string>::known("there", "a file");
  torch.includes = {torch.path + "/include"};
  torch.cuda = torch.hip = Fact<Version>::missing("a build for CPU only", "version.py");
  if (!cuda.empty()) torch.cuda = Fact<Version>::known(*Version::parse(cuda), "version.py");
  return torch;
}

probe::Toolchain toolkit(const std::string& version, const std::string& folder) {
  return make_nvcc(version, folder, {"sm_80"});
}

TorchMatch match_first(const probe::Machine& machine, bool skip = false) {
  return match_torch(machine.torches.front(), accelerator("cuda"), machine.toolchains.front(),
                     machine, skip);
}

TorchMatch match(const std::string& cuda_of_torch, const std::string& version, bool skip = false) {
  probe::Machine machine;
  machine.torches = {make_torch("2.7.1", cuda_of_torch)};
  machine.toolchains = {toolkit(version, "/cuda")};
  return match_first(machine, skip);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a01: another major release is refused, with both versions, both paths and the ways out",
          "[torch]") {
  const auto refused = match("11.7", "12.0.140");
  REQUIRE(refused.reason);
  CHECK(refused.reason->code == ReasonCode::toolchain_version);
  CHECK(reason_row(refused.reason->code).when_required == ExitCode::no_toolchain);
  CHECK(refused.reason->text ==
        "torch-2.7.1 at /venv/torch was built with cuda 11.7, and nvcc-12.0.140 at " +
            toolkit("12.0.140", "/cuda").path + " is another major release");
  CHECK(refused.reason->hint ==
        "install a toolkit of 11.x and name it: --toolkit nvcc=DIR; or name another torch: --torch "
        "DIR or --python PATH; or DS_SKIP_CUDA_CHECK=1 compiles all the same");
}

TEST_CASE("a02: another minor release of the same major is taken, with one note", "[torch]") {
  for (const char* version : {"12.2.128", "12.0.0", "12.9.86"}) {
    const auto taken = match("12.1", version);
    CHECK_FALSE(taken.reason);
    CHECK(contains(taken.note, "cuda 12.1"));
    CHECK(contains(taken.note, version));
  }
  CHECK_FALSE(match("12.1", "12.1.105").reason);
  CHECK(match("12.1", "12.1.105").note.empty());
}

TEST_CASE("a03: releases that nobody knows yet follow from their numbers", "[torch]") {
  CHECK_FALSE(match("13.0", "13.7.1").reason);
  CHECK(contains(match("13.0", "13.7.1").note, "13.0"));
  CHECK_FALSE(match("99.0", "99.0.3").reason);
  CHECK(match("99.0", "99.0.3").note.empty());
  CHECK(match("9.2", "99.0.3").reason);
  CHECK(match("13.10", "13.1").note != "");
}

TEST_CASE("a05: an old toolkit that stands before the fitting one is told with that one",
          "[torch]") {
  probe::Machine machine;
  machine.torches = {make_torch("2.7.1+cu126", "12.6")};
  machine.toolchains = {toolkit("11.5.119", "/usr"), toolkit("12.2.128", "/usr/local/cuda-12.2"),
                        toolkit("12.6.85", "/usr/local/cuda-12.6"), toolkit("13.0.88", "/cuda13")};
  const auto refused = match_first(machine);
  REQUIRE(refused.reason);
  CHECK(contains(refused.reason->hint, "take nvcc-12.6.85: --toolkit nvcc=/usr/local/cuda-12.6"));
  Strings order;
  std::vector<const probe::Toolchain*> all;
  for (const auto& one : machine.toolchains) all.push_back(&one);
  for (const auto* one : sort_for_torch(all, *Version::parse("12.6"))) order.push_back(one->id);
  CHECK(order == Strings{"nvcc-12.6.85", "nvcc-12.2.128", "nvcc-11.5.119", "nvcc-13.0.88"});
  order.clear();
  for (const auto* one : sort_for_torch(all, *Version::parse("12.4"))) order.push_back(one->id);
  CHECK(order == Strings{"nvcc-12.6.85", "nvcc-12.2.128", "nvcc-11.5.119", "nvcc-13.0.88"});
  machine.toolchains[3].demanded = true;
  CHECK(sort_for_torch(all, *Version::parse("12.6")).front()->id == "nvcc-13.0.88");
}

TEST_CASE("a toolkit that is not whole is no way out, another torch that fits is one", "[torch]") {
  probe::Machine machine;
  machine.torches = {make_torch("2.7.1+cu126", "12.6"), make_torch("2.15.0+cu132", "13.2", "/new")};
  machine.toolchains = {toolkit("13.0.88", "/cuda"), toolkit("12.6.85", "/broken")};
  machine.toolchains[1].state = probe::ToolchainState::partial;
  const auto refused = match_first(machine);
  REQUIRE(refused.reason);
  CHECK(contains(refused.reason->hint, "install a toolkit of 12.x"));
  CHECK(contains(refused.reason->hint, "take torch-2.15.0+cu132: --torch /new/torch"));
}

TEST_CASE("DS_SKIP_CUDA_CHECK counts when it is exactly 1; another value is told", "[torch]") {
  CHECK_FALSE(match("11.7", "12.0", true).reason);
  CHECK(contains(match("11.7", "12.0", true).note, "DS_SKIP_CUDA_CHECK=1"));
  CHECK(read_skip_check({{"DS_SKIP_CUDA_CHECK", "1"}}).skipped);
  CHECK(read_skip_check({{"DS_SKIP_CUDA_CHECK", "1"}}).note.empty());
  CHECK_FALSE(read_skip_check({}).skipped);
  CHECK(read_skip_check({}).note.empty());
  for (const char* value : {"true", "0", " 1", "01"}) {
    const SkipCheck read = read_skip_check({{"DS_SKIP_CUDA_CHECK", value}});
    CHECK_FALSE(read.skipped);
    CHECK(contains(read.note, value));
  }
}

TEST_CASE("a torch for CPU only serves no CUDA extension, and one that does is named", "[torch]") {
  const auto refused = match("", "13.0.88");
  REQUIRE(refused.reason);
  CHECK(refused.reason->code == ReasonCode::need_missing);
  CHECK(refused.reason->text == "torch-2.7.1 at /venv/torch has no cuda: a build for CPU only");
  probe::Machine machine;
  machine.torches = {make_torch("2.7.1", ""), make_torch("2.15.0+cu132", "13.2", "/new")};
  machine.toolchains = {toolkit("13.0.88", "/cuda")};
  CHECK(contains(match_first(machine).reason->hint, "--torch /new/torch"));
  // Skipping a check of releases doesn't make a release.
  CHECK(match_first(machine, true).reason);
}

TEST_CASE("HIP is compared with a ROCm in the same way, and found by the accelerator's alias",
          "[torch]") {
  probe::Torch torch = make_torch("2.7.1+rocm6.3", "");
  torch.hip = Fact<Version>::known(*Version::parse("6.3.42131-fa1d09cbd"), "version.py");
  probe::Toolchain rocm = toolkit("6.4.1", "/opt/rocm");
  rocm.kind = "hipcc";
  probe::Machine machine;
  machine.torches = {torch};
  const auto against = [&](const char* version) {
    rocm.version = Fact<Version>::known(*Version::parse(version), "");
    return match_torch(torch, accelerator("rocm"), rocm, machine, false);
  };
  CHECK(against("6.3.1").note.empty());
  CHECK(contains(against("6.4.1").note, "rocm 6.3"));
  CHECK(against("7.0").reason);
  CHECK(match_torch(torch, accelerator("cuda"), rocm, machine, false).reason->code ==
        ReasonCode::need_missing);
}

TEST_CASE("what torch or its Python lacks is told before anything is compiled", "[torch]") {
  probe::Machine machine;
  machine.torches = {make_torch("2.7.1", "")};
  machine.torches[0].python_include = Fact<std::string>::missing("no Python.h", "/usr/include");
  REQUIRE(find_torch_problem(machine));
  CHECK(contains(find_torch_problem(machine)->text, "/usr/include: no Python.h"));
  machine.torches = {make_torch("2.7.1", "")};
  machine.torches[0].includes.clear();
  CHECK(contains(find_torch_problem(machine)->text, "/venv/torch/include: no ATen/ATen.h"));
}

TEST_CASE("no torch, and a named one that isn't there, are told with what would help", "[torch]") {
  probe::Machine machine;
  REQUIRE(find_torch_problem(machine));
  CHECK(contains(find_torch_problem(machine)->hint, "--python PATH"));
  machine.torches = {make_torch("2.7.1", "")};
  CHECK_FALSE(find_torch_problem(machine));
  machine.torches[0].origin = "--python";
  machine.torches[0].path = "/bare";
  machine.torches[0].version = Fact<Version>::missing("no version.py in /bare/x", "/bare");
  CHECK(find_torch_problem(machine)->text == "--python /bare: no version.py in /bare/x");
}

}  // namespace
}  // namespace dsbuild::plan
