// Torch against toolkits: machines with several of both, put together by hand.
#include "plan/torch_match.h"

#include <catch2/catch.hpp>

#include <algorithm>

#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

using Strings = std::vector<std::string>;

const manifest::Accelerator& accelerator(const std::string& name) {
  static const manifest::Catalog kCatalog = make_catalog();
  return kCatalog.accelerators.at(name);
}

/// Of the pip kind: "2.7.1+cu126" and CUDA 12.6.
probe::Torch pip_torch(const std::string& version, const std::string& cuda,
                       const std::string& prefix = "/venv") {
  probe::Torch torch = make_torch(version, cuda.empty() ? "" : "cuda", cuda);
  torch.path = prefix + "/torch";
  torch.includes = {torch.path + "/include"};
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
  machine.torches = {pip_torch("2.7.1", cuda_of_torch)};
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
  CHECK(refused.reason->code == ReasonCode::torch_unsuited);
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
  machine.torches = {pip_torch("2.7.1+cu126", "12.6")};
  machine.toolchains = {toolkit("11.5.119", "/usr"), toolkit("12.2.128", "/usr/local/cuda-12.2"),
                        toolkit("12.6.85", "/usr/local/cuda-12.6"), toolkit("13.0.88", "/cuda13")};
  const auto refused = match_first(machine);
  REQUIRE(refused.reason);
  CHECK(contains(refused.reason->hint, "take nvcc-12.6.85: --toolkit nvcc=/usr/local/cuda-12.6"));
  const auto order = [&](const char* built_with) {
    const auto version = *Version::parse(built_with);
    auto all = machine.toolchains;
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& a, const auto& b) { return suits_better(a, b, version); });
    Strings ids;
    for (const auto& one : all) ids.push_back(one.id);
    return ids;
  };
  CHECK(order("12.2") == Strings{"nvcc-12.2.128", "nvcc-12.6.85", "nvcc-11.5.119", "nvcc-13.0.88"});
  CHECK(order("12.4") == Strings{"nvcc-12.6.85", "nvcc-12.2.128", "nvcc-11.5.119", "nvcc-13.0.88"});
  CHECK(order("9.2") == Strings{"nvcc-11.5.119", "nvcc-12.2.128", "nvcc-12.6.85", "nvcc-13.0.88"});
}

TEST_CASE("a toolkit that is not whole is no way out, another torch that fits is one", "[torch]") {
  probe::Machine machine;
  machine.torches = {pip_torch("2.7.1+cu126", "12.6"), pip_torch("2.15.0+cu132", "13.2", "/new")};
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
  CHECK(refused.reason->code == ReasonCode::torch_unsuited);
  CHECK(refused.reason->text == "torch-2.7.1 at /venv/torch has no cuda: a build for CPU only");
  probe::Machine machine;
  machine.torches = {pip_torch("2.7.1", ""), pip_torch("2.15.0+cu132", "13.2", "/new")};
  machine.toolchains = {toolkit("13.0.88", "/cuda")};
  CHECK(contains(match_first(machine).reason->hint, "--torch /new/torch"));
  // Skipping a check of releases doesn't make a release.
  CHECK(match_first(machine, true).reason);
}

TEST_CASE("HIP is compared with a ROCm in the same way, and found by the accelerator's alias",
          "[torch]") {
  probe::Torch torch = pip_torch("2.7.1+rocm6.3", "");
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
        ReasonCode::torch_unsuited);
}

TEST_CASE("what torch or its Python lacks is told before anything is compiled", "[torch]") {
  probe::Machine machine;
  machine.torches = {pip_torch("2.7.1", "")};
  machine.torches[0].python_include = Fact<std::string>::missing("no Python.h", "/usr/include");
  REQUIRE(find_torch_problem(machine));
  CHECK(contains(find_torch_problem(machine)->text, "/usr/include: no Python.h"));
  machine.torches = {pip_torch("2.7.1", "")};
  machine.torches[0].includes.clear();
  CHECK(contains(find_torch_problem(machine)->text, "/venv/torch/include: no ATen/ATen.h"));
}

TEST_CASE("no torch, and a named one that isn't there, are told with what would help", "[torch]") {
  probe::Machine machine;
  REQUIRE(find_torch_problem(machine));
  CHECK(contains(find_torch_problem(machine)->hint, "--python PATH"));
  machine.torches = {pip_torch("2.7.1", "")};
  CHECK_FALSE(find_torch_problem(machine));
  machine.torches[0].origin = "--python";
  machine.torches[0].path = "/bare";
  machine.torches[0].version = Fact<Version>::missing("no version.py in /bare/x", "/bare");
  CHECK(find_torch_problem(machine)->text == "--python /bare: no version.py in /bare/x");
}

/// One extension: `sources` besides its binding, for CUDA and the host.
manifest::Catalog with_extension(const Strings& sources) {
  manifest::Catalog catalog = make_catalog();
  const manifest::Op other = catalog.ops.at("legacy");
  const std::filesystem::path folder = other.folder;
  catalog.ops.clear();
  manifest::Op op;
  op.name = "ext";
  op.kind = manifest::OpKind::python_extension;
  op.module = "pkg.ops.ext_op";
  op.file = other.file;
  op.folder = folder;
  op.root = other.root;
  manifest::ExtensionPart part;
  part.on = {{"cpu", {}}, {"cuda", {}}};
  part.binding = {folder / "bind.cpp"};
  for (const std::string& source : sources) part.sources.push_back(folder / source);
  op.parts = {part};
  catalog.ops.emplace(op.name, op);
  return catalog;
}

probe::Machine with_torch(std::vector<probe::Torch> torches,
                          const std::vector<probe::Toolchain>& toolkits) {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0")};
  machine.toolchains.insert(machine.toolchains.end(), toolkits.begin(), toolkits.end());
  for (probe::Torch& torch : torches) {
    torch.python = Fact<Version>::known(*Version::parse("3.11"), "");
    torch.extension_suffix = Fact<std::string>::known(".cpython-311-x86_64-linux-gnu.so", "");
    torch.libraries = {{"cpu", {"c10"}}, {"cuda", {"c10", "c10_cuda"}}};
    torch.lib = torch.path + "/lib";
  }
  machine.torches = std::move(torches);
  return machine;
}

Made plan_extension(const probe::Machine& machine, const Strings& sources,
                    const Environment& environment = {}) {
  Wishes wishes{{"ext"}, {"cuda"}, "8.0", {}};
  wishes.environment = environment;
  return plan_for(wishes, with_extension(sources), machine);
}

const Entry& only_entry(const Made& made) {
  const Entry* found = nullptr;
  for (const Entry& entry : made.plan.entries) {
    if (entry.op == "ext" && entry.accelerator == "cuda") found = &entry;
  }
  REQUIRE(found);
  return *found;
}

TEST_CASE("a01: a plan refuses another major release before any step, unless it is told not to",
          "[torch]") {
  const auto machine = with_torch({pip_torch("2.7.1+cu126", "12.6")}, {toolkit("13.0.88", "/c")});
  const Made refused = plan_extension(machine, {"k.cu"});
  REQUIRE(only_entry(refused).reason);
  CHECK(only_entry(refused).reason->code == ReasonCode::torch_unsuited);
  CHECK(refused.plan.steps.empty());
  CHECK(refused.plan.verdict() == ExitCode::no_toolchain);

  const Made told = plan_extension(machine, {"k.cu"}, {{"DS_SKIP_CUDA_CHECK", "1"}});
  CHECK(only_entry(told).state == EntryState::planned);
  CHECK(contains(told.notes(), "DS_SKIP_CUDA_CHECK=1"));
  const auto is_check = [](const Setting& setting) {
    return setting.name == "torch check" && setting.origin == "DS_SKIP_CUDA_CHECK";
  };
  CHECK(std::any_of(told.plan.settings.begin(), told.plan.settings.end(), is_check));

  const Made misspelt = plan_extension(machine, {"k.cu"}, {{"DS_SKIP_CUDA_CHECK", "yes"}});
  CHECK(only_entry(misspelt).reason);
  CHECK(contains(misspelt.notes(), "only 1 has"));
}

TEST_CASE("a05: of several toolkits the one of torch's own release compiles its extensions",
          "[torch]") {
  const Made made = plan_extension(
      with_torch(
          {pip_torch("2.7.1+cu126", "12.6")},
          {toolkit("13.0.88", "/new"), toolkit("12.4.131", "/old"), toolkit("12.6.85", "/own")}),
      {"k.cu"});
  REQUIRE(only_entry(made).state == EntryState::planned);
  const auto uses = [&](const std::string& id) {
    return std::any_of(made.plan.steps.begin(), made.plan.steps.end(),
                       [&](const Step& step) { return step.toolchain == id; });
  };
  CHECK(uses("nvcc-12.6.85"));
  CHECK_FALSE(uses("nvcc-13.0.88"));
  CHECK(made.notes().find("same major") == std::string::npos);
}

TEST_CASE("a02: a minor release of its own is one note in the whole plan", "[torch]") {
  const Made made =
      plan_extension(with_torch({pip_torch("2.15.0+cu132", "13.2")}, {toolkit("13.0.88", "/c")}),
                     {"k.cu", "l.cu"});
  REQUIRE(only_entry(made).state == EntryState::planned);
  CHECK(contains(made.notes(), "torch-2.15.0+cu132 was built with cuda 13.2"));
  CHECK(std::count_if(made.plan.notes.begin(), made.plan.notes.end(),
                      [](const std::string& note) { return contains(note, "same major"); }) == 1);
}

TEST_CASE("a toolkit that was demanded is not replaced by one that suits torch better", "[torch]") {
  auto machine = with_torch({pip_torch("2.7.1+cu126", "12.6")},
                            {toolkit("13.0.88", "/new"), toolkit("12.6.85", "/own")});
  machine.toolchains[1].demanded = true;
  machine.toolchains[1].origin = "CUDA_HOME";
  const Made made = plan_extension(machine, {"k.cu"});
  REQUIRE(only_entry(made).reason);
  CHECK(contains(only_entry(made).reason->text, "nvcc-13.0.88"));
  CHECK(contains(only_entry(made).reason->hint, "take nvcc-12.6.85: --toolkit nvcc=/own"));
}

TEST_CASE("an extension without device sources needs no toolkit, whatever torch was built with",
          "[torch]") {
  const Made made = plan_extension(with_torch({pip_torch("2.7.1+cu126", "12.6")}, {}), {"h.cpp"});
  CHECK(only_entry(made).state == EntryState::planned);
}

TEST_CASE("without a torch, and with one that lacks Python.h, an extension has its reason",
          "[torch]") {
  const Made none = plan_extension(with_torch({}, {}), {"h.cpp"});
  REQUIRE(only_entry(none).reason);
  CHECK(only_entry(none).reason->code == ReasonCode::torch_absent);
  CHECK(none.plan.verdict() == ExitCode::no_toolchain);
  auto machine = with_torch({pip_torch("2.7.1+cu126", "12.6")}, {});
  machine.torches[0].python_include = Fact<std::string>::missing("no Python.h", "/usr/include");
  CHECK(contains(only_entry(plan_extension(machine, {"h.cpp"})).reason->text, "no Python.h"));
}

}  // namespace
}  // namespace dsbuild::plan
