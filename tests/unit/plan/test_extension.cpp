#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <set>

#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

using Texts = std::vector<std::string>;

/// An extension with host sources for both and a kernel for CUDA, made of parts as a manifest is.
manifest::Op make_op(const std::string& name, const std::string& module) {
  manifest::Op op;
  op.name = name;
  op.kind = manifest::OpKind::python_extension;
  op.module = module;
  op.folder = op.root = "/tree";
  manifest::ExtensionPart host;
  host.on["cpu"] = {};
  host.on["cuda"] = {};
  host.binding = {"/tree/csrc/" + name + ".cpp"};
  host.sources = {"/tree/csrc/shared.cpp"};
  host.torch_sources = {host.binding.front(), host.sources.front()};
  op.parts.push_back(host);
  return op;
}

void add_kernel(manifest::Op& op) {
  manifest::ExtensionPart device;
  device.on["cuda"] = {};
  device.sources = {"/tree/csrc/kernel.cu"};
  op.parts.push_back(device);
}

probe::Machine machine_with(const probe::Torch& torch) {
  probe::Machine machine = make_full_machine();
  machine.torches = {torch};
  return machine;
}

const Entry& entry_of(const Made& made, const std::string& op, const std::string& accelerator) {
  const Entry* entry = made.find(op, accelerator, "", kExtensionForm);
  REQUIRE(entry);
  return *entry;
}

TEST_CASE("an extension is one module for each accelerator that its torch serves", "[extension]") {
  manifest::Op op = make_op("adam", "pkg.ops.adam_op");
  add_kernel(op);
  const Made made = plan_for({{}, {}, "8.0;9.0", {}}, catalog_of({op}),
                             machine_with(make_torch("2.15.0", "cuda", "13.0")));
  CHECK(made.problems().empty());
  const Entry& cpu = entry_of(made, "adam", "cpu");
  CHECK(cpu.artifact == "extensions/cpu/pkg/ops/adam_op.cpython-311.so");
  CHECK(cpu.archs.empty());
  CHECK(cpu.needs ==
        std::map<std::string, std::string>{
            {"cpu", "x86-64-v3"}, {"cxx11_abi", "1"}, {"python", "==3.11"}, {"torch", "==2.15"}});
  const Entry& cuda = entry_of(made, "adam", "cuda");
  CHECK(cuda.archs == Texts{"sm_80", "sm_90", "sm_90+ptx"});
  const Step& link = made.step(cuda.artifact);
  CHECK(link.kernels == Texts{"PyInit_adam_op"});
  CHECK(has_word(link.argv, "-Wl,-rpath,$ORIGIN/../../torch/lib"));
  CHECK(has_word(link.argv, "-ltorch_cuda"));
  CHECK(has_word(link.argv, "-lcudart"));
  CHECK(has_word(link.argv, "-L/usr/local/cuda-13.0/lib64/stubs"));  // E06: libcuda's
  CHECK_FALSE(has_word(made.step(cpu.artifact).argv, "-ltorch_cuda"));
}

TEST_CASE("host and device code have the one language standard that the torch needs",
          "[extension]") {
  manifest::Op op = make_op("adam", "pkg.adam_op");
  add_kernel(op);
  const Made made = plan_for({{}, {"cuda"}, "9.0", {}}, catalog_of({op}),
                             machine_with(make_torch("2.15.0", "cuda", "13.0")));
  const Entry& entry = entry_of(made, "adam", "cuda");
  REQUIRE(entry.steps.size() == 4);  // three objects, the module
  for (std::size_t i = 0; i + 1 < entry.steps.size(); ++i) {
    CHECK(has_word(made.step(entry.steps[i]).argv, "-std=c++20"));
  }
}

TEST_CASE("E05: a toolkit that has its runtime by its soname alone is linked by that",
          "[extension]") {
  manifest::Op op = make_op("adam", "pkg.adam_op");
  add_kernel(op);
  probe::Machine machine = machine_with(make_torch("2.15.0", "cuda", "13.0"));
  for (probe::Toolchain& toolchain : machine.toolchains) {
    if (toolchain.kind == "nvcc") toolchain.values["cudart"] = ":libcudart.so.13";
  }
  const Made made = plan_for({{}, {"cuda"}, "9.0", {}}, catalog_of({op}), machine);
  const Step& link = made.step(entry_of(made, "adam", "cuda").artifact);
  CHECK(has_word(link.argv, "-l:libcudart.so.13"));
  CHECK_FALSE(has_word(link.argv, "-lcudart"));
}

TEST_CASE("E10: host sources of an op for CUDA find the headers that CUDA 13 moved to cccl",
          "[extension]") {
  manifest::Op op = make_op("adam", "pkg.adam_op");
  add_kernel(op);
  const Made made = plan_for({{}, {}, "9.0", {}}, catalog_of({op}),
                             machine_with(make_torch("2.15.0", "cuda", "13.0")));
  const auto binding = [&](const std::string& accelerator) {
    return made.step(entry_of(made, "adam", accelerator).steps.front()).argv;
  };
  const Texts argv = binding("cuda");
  const auto cccl = std::find(argv.begin(), argv.end(), "/usr/local/cuda-13.0/include/cccl");
  REQUIRE(cccl != argv.end());
  CHECK(cccl[-1] == "-isystem");
  CHECK(cccl[-2] == "/usr/local/cuda-13.0/include");
  CHECK_FALSE(has_word(binding("cpu"), "/usr/local/cuda-13.0/include/cccl"));
}

TEST_CASE("a kernel's source weighs once for the host and once for each arch", "[extension]") {
  manifest::Op op = make_op("adam", "pkg.adam_op");
  add_kernel(op);
  for (manifest::ExtensionPart& part : op.parts) {
    for (const auto& source : part.sources) part.sizes.emplace(source, 100);
  }
  const Made made = plan_for({{}, {"cuda"}, "cuda:8.0,cuda:9.0", {}}, catalog_of({op}),
                             machine_with(make_torch("2.15.0", "cuda", "13.0")));
  std::multiset<std::uint64_t> weights;
  for (const std::string& id : entry_of(made, "adam", "cuda").steps)
    weights.insert(made.step(id).weight);
  const std::uint64_t passes = 1 + entry_of(made, "adam", "cuda").archs.size();
  CHECK(weights == std::multiset<std::uint64_t>{0, 0, 100, 100 * passes});
}

TEST_CASE(
    "a part may let one compile take all sources of a compiler, unless they are asked for each",
    "[extension]") {
  manifest::Op op = make_op("adam", "pkg.adam_op");
  op.parts.front().unity = true;
  op.parts.front().sources.push_back("/tree/csrc/last.cpp");
  op.parts.front().sizes = {{"/tree/csrc/shared.cpp", 100}, {"/tree/csrc/last.cpp", 20}};
  Wishes wishes{{}, {"cpu"}, "", {}};
  const Made together = plan_for(wishes, catalog_of({op}), machine_with(make_torch("2.15.0")));
  REQUIRE(entry_of(together, "adam", "cpu").steps.size() == 2);  // one object, the module
  const Step& unit = together.step(entry_of(together, "adam", "cpu").steps.front());
  CHECK(unit.what == "adam.o of 3 sources for torch-2.15.0");
  CHECK(unit.sources == 3);
  CHECK(unit.weight == 120);
  // The first one is what the compiler is given; the others come before it, in their order.
  CHECK(unit.inputs ==
        Texts{"{root2}/csrc/adam.cpp", "{root2}/csrc/shared.cpp", "{root2}/csrc/last.cpp"});
  const auto first = std::find(unit.argv.begin(), unit.argv.end(), "-include");
  REQUIRE(unit.argv.end() - first > 4);
  CHECK(Texts(first, first + 4) ==
        Texts{"-include", "{root2}/csrc/shared.cpp", "-include", "{root2}/csrc/last.cpp"});
  CHECK(has_word(unit.argv, "-DTORCH_EXTENSION_NAME=adam_op"));

  wishes.unity = false;
  const Made apart = plan_for(wishes, catalog_of({op}), machine_with(make_torch("2.15.0")));
  CHECK(entry_of(apart, "adam", "cpu").steps.size() == 4);
  for (const Step& step : apart.plan.steps) CHECK(step.sources == 1);
}

TEST_CASE("the module's name goes to its binding alone, so that ops share the other objects",
          "[extension]") {
  const Made made =
      plan_for({{}, {"cpu"}, "", {}},
               catalog_of({make_op("one", "pkg.one_op"), make_op("two", "pkg.two_op")}),
               machine_with(make_torch("2.15.0")));
  const Entry& one = entry_of(made, "one", "cpu");
  const Entry& two = entry_of(made, "two", "cpu");
  REQUIRE(one.steps.size() == 3);  // two objects, the module
  CHECK(one.steps[0] != two.steps[0]);
  CHECK(one.steps[1] == two.steps[1]);
  CHECK(has_word(made.step(one.steps[0]).argv, "-DTORCH_EXTENSION_NAME=one_op"));
  CHECK_FALSE(has_word(made.step(one.steps[1]).argv, "-DTORCH_EXTENSION_NAME=one_op"));
  CHECK(made.plan.steps.size() == 5);
}

TEST_CASE("torch's header is precompiled only where enough sources read it", "[extension]") {
  const Made few = plan_for({{}, {"cpu"}, "", {}}, catalog_of({make_op("one", "pkg.one_op")}),
                            machine_with(make_torch("2.15.0")));
  CHECK(few.plan.steps.size() == 3);
  for (const Step& step : few.plan.steps) {
    CHECK_FALSE(has_word(step.argv, "-include"));
    CHECK_FALSE(has_word(step.argv, "{torch_header}"));
  }
  std::vector<manifest::Op> ops;
  for (const std::string name : {"a", "b", "c"}) ops.push_back(make_op(name, "pkg." + name));
  const Made many =
      plan_for({{}, {"cpu"}, "", {}}, catalog_of(ops), machine_with(make_torch("2.15.0")));
  const Step& object = many.step(entry_of(many, "a", "cpu").steps.front());
  REQUIRE(object.header);
  CHECK(has_word(object.header->argv, "c++-header"));
  const auto include = std::find(object.argv.begin(), object.argv.end(), "-include");
  REQUIRE(include != object.argv.end());
  CHECK(include[1] + ".gch" == object.header->outputs.front());
  // What stands for it where it isn't precompiled.
  CHECK(object.files.at(include[1]) == "#include <torch/extension.h>\n");
}

TEST_CASE("a feature is on when every arch of the build has it, and never leaks to the next op",
          "[extension]") {
  manifest::Op op = make_op("adam", "pkg.adam_op");
  add_kernel(op);
  manifest::ArchFilter from8;
  from8.kind = manifest::ArchFilter::Kind::at_least;
  from8.archs = {"sm_80"};
  op.features["BF16_AVAILABLE"]["cuda"] = from8;
  manifest::Op other = make_op("lamb", "pkg.lamb_op");
  add_kernel(other);
  other.features = op.features;
  other.parts.back().on["cuda"] = from8;
  const Made made = plan_for({{}, {"cuda"}, "7.5;8.0", {}}, catalog_of({op, other}),
                             machine_with(make_torch("2.15.0", "cuda", "13.0")));
  CHECK(entry_of(made, "adam", "cuda").archs == Texts{"sm_75", "sm_80", "sm_80+ptx"});
  CHECK(entry_of(made, "lamb", "cuda").archs == Texts{"sm_80", "sm_80+ptx"});
  const auto has_bf16 = [&](const std::string& name) {
    return has_word(made.step(entry_of(made, name, "cuda").steps.front()).argv, "-DBF16_AVAILABLE");
  };
  CHECK_FALSE(has_bf16("adam"));
  CHECK(has_bf16("lamb"));
}

TEST_CASE("host code has a level, which a feature may follow; several levels are several modules",
          "[extension]") {
  manifest::Op op = make_op("adam", "pkg.adam_op");
  manifest::ArchFilter v4;
  v4.kind = manifest::ArchFilter::Kind::list;
  v4.archs = {"x86-64-v4"};
  op.features["__AVX512__"]["cpu"] = v4;
  const Made made = plan_for({{}, {"cpu"}, "x86-64-v3,x86-64-v4", {}}, catalog_of({op}),
                             machine_with(make_torch("2.15.0")));
  Texts artifacts;
  int with_avx512 = 0;
  for (const Entry& entry : made.plan.entries) {
    if (entry.state == EntryState::planned) artifacts.push_back(entry.artifact);
  }
  for (const Step& step : made.plan.steps) with_avx512 += has_word(step.argv, "-D__AVX512__");
  CHECK(artifacts == Texts{"extensions/cpu/pkg/adam_op.x86-64-v3.cpython-311.so",
                           "extensions/cpu/pkg/adam_op.x86-64-v4.cpython-311.so"});
  CHECK(with_avx512 == 2);
  const Made cuda = plan_for({{}, {"cuda"}, "x86-64-v4", {}}, catalog_of({op}),
                             machine_with(make_torch("2.15.0", "cuda", "13.0")));
  CHECK(cuda.problems().empty());
  CHECK(entry_of(cuda, "adam", "cuda").needs.at("cpu") == "x86-64-v4");
}

TEST_CASE("host sources alone never need the accelerator's toolkit", "[extension]") {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0")};
  machine.torches = {make_torch("2.15.0", "cuda", "13.0")};
  const Made made =
      plan_for({{}, {"cuda"}, "", {}}, catalog_of({make_op("adam", "pkg.adam_op")}), machine);
  CHECK(entry_of(made, "adam", "cuda").state == EntryState::planned);
}

TEST_CASE("no torch, and one that was not built for the accelerator, are reasons", "[extension]") {
  const auto catalog = catalog_of({make_op("adam", "pkg.adam_op")});
  const Made none = plan_for({{"adam"}, {}, "", {}}, catalog, make_full_machine());
  CHECK(none.plan.verdict() == ExitCode::no_toolchain);
  CHECK(none.skipped("adam", "cpu")->reason->code == ReasonCode::torch_absent);
  const Made cpu_only =
      plan_for({{"adam"}, {"cuda"}, "", {}}, catalog, machine_with(make_torch("2.15.0")));
  CHECK(cpu_only.plan.verdict() == ExitCode::no_toolchain);
  CHECK(cpu_only.skipped("adam", "cuda")->reason->text ==
        "torch-2.15.0 at /venv/lib/python3.11/site-packages/torch was not built for cuda");
}

TEST_CASE("a part counts only for the versions it is for", "[extension]") {
  manifest::Op op = make_op("adam", "pkg.adam_op");
  manifest::ExtensionPart later = op.parts.front();
  later.binding.clear();
  later.sources = {"/tree/csrc/later.cpp"};
  later.when.torch = VersionRange::parse(">=2.14");
  op.parts.push_back(later);
  const auto steps = [&](const std::string& torch) {
    const Made made =
        plan_for({{}, {"cpu"}, "", {}}, catalog_of({op}), machine_with(make_torch(torch)));
    return entry_of(made, "adam", "cpu").steps.size();
  };
  CHECK(steps("2.13.1") == 3);
  CHECK(steps("2.15.0") == 4);
}

TEST_CASE("an op's dependencies are built with it", "[extension]") {
  manifest::Op op = make_op("aio", "pkg.aio_op");
  op.after = {"pin"};
  const Made made =
      plan_for({{"aio"}, {"cpu"}, "", {}}, catalog_of({op, make_op("pin", "pkg.pin_op")}),
               machine_with(make_torch("2.15.0")));
  CHECK(entry_of(made, "pin", "cpu").state == EntryState::planned);
  CHECK(entry_of(made, "aio", "cpu").needs.at("after") == "pin");
}

TEST_CASE("what is Python alone is listed with what it is", "[extension]") {
  manifest::Op op = make_op("adam", "pkg.adam_op");
  manifest::ExtensionPart python;
  python.on["npu"] = {};
  python.python = "a Python class over torch_npu";
  op.parts.push_back(python);
  const Made made =
      plan_for({{"adam"}, {"npu"}, "", {}}, catalog_of({op}), machine_with(make_torch("2.15.0")));
  CHECK(made.skipped("adam", "npu")->reason->code == ReasonCode::nothing_native);
  CHECK(made.plan.verdict() == ExitCode::no_op);
}

}  // namespace
}  // namespace dsbuild::plan
