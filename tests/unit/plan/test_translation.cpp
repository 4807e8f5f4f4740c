#include <catch2/catch.hpp>

#include <algorithm>

#include "base/text.h"
#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

using Texts = std::vector<std::string>;

probe::Toolchain make_toolkit(const std::string& kind, const std::string& version,
                              const std::string& tool, const std::string& folder) {
  probe::Toolchain toolkit;
  toolkit.id = kind + "-" + version;
  toolkit.kind = kind;
  toolkit.path = folder + "/bin/" + kind;
  toolkit.state = probe::ToolchainState::complete;
  toolkit.version = Fact<Version>::known(*Version::parse(version), "version");
  toolkit.origin = folder;
  toolkit.all_archs = true;
  toolkit.identity = "identity of " + toolkit.id;
  toolkit.values = {{tool, toolkit.path},
                    {"toolkit", folder},
                    {"toolkit_include", folder + "/include"},
                    {"toolkit_lib", folder + "/lib"}};
  return toolkit;
}

probe::Machine make_rocm(const Texts& archs = {}) {
  probe::Machine machine = make_machine();
  probe::Toolchain hipcc = make_toolkit("hipcc", "6.2.0", "hipcc", "/opt/rocm");
  hipcc.values["hipify"] = "/opt/rocm/bin";
  hipcc.all_archs = archs.empty();
  hipcc.archs = archs;
  machine.toolchains = {make_gcc("12.2.0"), hipcc};
  machine.torches = {make_torch("2.9.0+rocm", "rocm", "6.2.41133")};
  return machine;
}

/// What DeepSpeed's fused_adam is: a host source and a kernel that share a header.
manifest::Op make_op(const std::string& name) {
  manifest::Op op;
  op.name = name;
  op.kind = manifest::OpKind::python_extension;
  op.module = "pkg." + name;
  op.folder = op.root = "/tree";
  manifest::ExtensionPart part;
  part.on["rocm"] = {};
  part.binding = {"/tree/csrc/" + name + ".cpp"};
  part.sources = {"/tree/csrc/kernel.cu", "/tree/csrc/native.hip"};
  part.options.include = {"/tree/csrc/includes", "/elsewhere/cutlass"};
  part.headers[part.binding.front()] = {"/tree/csrc/includes/shared.h"};
  part.headers[part.sources.front()] = {"/tree/csrc/includes/shared.h", "/tree/csrc/kernel.cuh"};
  op.parts.push_back(part);
  return op;
}

/// The steps of an entry that make a file of this name.
std::vector<const Step*> steps_for(const Made& made, const std::string& op, std::string_view file,
                                   const std::string& accelerator = "rocm") {
  const Entry* entry = made.find(op, accelerator, "", kExtensionForm);
  REQUIRE(entry);
  INFO((entry->reason ? entry->reason->text : ""));
  REQUIRE(entry->state == EntryState::planned);
  std::vector<const Step*> steps;
  for (const std::string& id : entry->steps) {
    if (id.ends_with(file)) steps.push_back(&made.step(id));
  }
  return steps;
}

std::string folder_of(const Step& translated, const std::string& path) {
  const std::string& out = translated.outputs.front();
  REQUIRE(out.ends_with("/" + path));
  return out.substr(0, out.size() - path.size() - 1);
}

TEST_CASE(
    "foreign sources and the headers that they include are translated, each once, and native "
    "ones are not",
    "[translation]") {
  const Made made =
      plan_for({{}, {"rocm"}, "gfx90a", {}}, catalog_of({make_op("adam")}), make_rocm());
  CHECK(made.problems().empty());
  CHECK(steps_for(made, "adam", "native.hip").empty());
  CHECK(steps_for(made, "adam", "shared.h").size() == 1);
  CHECK(steps_for(made, "adam", "kernel.cuh").size() == 1);
  CHECK(steps_for(made, "adam", "csrc/adam.cpp").size() == 1);
  const auto translated = steps_for(made, "adam", "kernel.cu");
  REQUIRE(translated.size() == 1);
  const Step& step = *translated.front();
  const std::string source = "{root2}/csrc/kernel.cu";
  const std::string script = "{src}/packaging/python/translate_hip.py";
  CHECK(step.argv == Texts{"/venv/bin/python3", "-I", "-S", "-B", script, "--torch",
                           "/venv/lib/python3.11/site-packages/torch", "--hipify", "/opt/rocm/bin",
                           source, step.outputs.front()});
  CHECK(step.inputs == Texts{source, script});
  CHECK(step.inputs_only);
  CHECK(step.outputs.front().starts_with("{build}/obj/translated/"));
}

TEST_CASE("ops of one tree share translations", "[translation]") {
  const Made made = plan_for({{}, {"rocm"}, "gfx90a", {}},
                             catalog_of({make_op("one"), make_op("two")}), make_rocm());
  CHECK(steps_for(made, "one", "shared.h") == steps_for(made, "two", "shared.h"));
  CHECK(steps_for(made, "one", "kernel.cu") == steps_for(made, "two", "kernel.cu"));
}

TEST_CASE(
    "hipcc gets all archs, translated folders before their originals, and scans for each arch",
    "[translation]") {
  const Made made = plan_for({{}, {"rocm"}, "gfx90a;gfx942:xnack-", {}},
                             catalog_of({make_op("adam")}), make_rocm());
  const std::string folder =
      folder_of(*steps_for(made, "adam", "kernel.cu").front(), "csrc/kernel.cu");
  const Step& step = *steps_for(made, "adam", "kernel.o").front();
  const std::string& out = step.outputs.front();
  CHECK(step.argv == Texts{"/opt/rocm/bin/hipcc",
                           "-x",
                           "hip",
                           "-c",
                           "--offload-arch=gfx90a",
                           "--offload-arch=gfx942:xnack-",
                           "-fno-gpu-rdc",
                           "-std=c++20",
                           "-O3",
                           "-fPIC",
                           "-cuid=kernel",
                           "-D__HIP_PLATFORM_AMD__=1",
                           "-DUSE_ROCM=1",
                           "-DHIPBLAS_V2",
                           "-DCUDA_HAS_FP16=1",
                           "-D__HIP_NO_HALF_OPERATORS__=1",
                           "-D__HIP_NO_HALF_CONVERSIONS__=1",
                           "-DHIP_ENABLE_WARP_SYNC_BUILTINS=1",
                           "-DTORCH_API_INCLUDE_EXTENSION_H",
                           "-I" + folder + "/csrc/includes",
                           "-I{root2}/csrc/includes",
                           "-I/elsewhere/cutlass",
                           "-I" + folder,
                           "-I{root2}",
                           "-isystem",
                           "/venv/lib/python3.11/site-packages/torch/include",
                           "-isystem",
                           "/usr/include/python3.11",
                           "-MD",
                           "-MF",
                           out + ".d",
                           folder + "/csrc/kernel.cu",
                           "-o",
                           out});
  CHECK(step.inputs == Texts{folder + "/csrc/kernel.cu", folder + "/csrc/includes/shared.h",
                             folder + "/csrc/kernel.cuh"});
  REQUIRE(step.scans.size() == 2);
  CHECK(has_word(step.scans[1].argv, "--offload-arch=gfx942:xnack-"));
  CHECK(has_word(step.scans[1].argv, "--cuda-device-only"));
  CHECK(step.scans[1].argv.back() == folder + "/csrc/kernel.cu");
  CHECK(has_word(steps_for(made, "adam", "native.o").front()->argv, "{root2}/csrc/native.hip"));
}

TEST_CASE("host sources are translated too, and compiled by the host's compiler for HIP",
          "[translation]") {
  const Made made =
      plan_for({{}, {"rocm"}, "gfx90a", {}}, catalog_of({make_op("adam")}), make_rocm());
  const std::string folder =
      folder_of(*steps_for(made, "adam", "kernel.cu").front(), "csrc/kernel.cu");
  const Step& step = *steps_for(made, "adam", "/adam.o").front();
  CHECK(step.argv.front() == "/usr/bin/g++");
  for (const char* word : {"-D__HIP_PLATFORM_AMD__=1", "-DUSE_ROCM=1", "-DHIPBLAS_V2",
                           "/opt/rocm/include", "-DTORCH_EXTENSION_NAME=adam"})
    CHECK(has_word(step.argv, word));
  CHECK(has_word(step.argv, folder + "/csrc/adam.cpp"));
  const Step& link = made.step(made.find("adam", "rocm", "", kExtensionForm)->artifact);
  for (const char* word : {"-L/opt/rocm/lib", "-lamdhip64", "-ltorch_rocm"})
    CHECK(has_word(link.argv, word));
}

TEST_CASE("the wavefront is the target's, and archs that differ in it are not built together",
          "[translation]") {
  manifest::Op reads = make_op("reads");
  reads.parts.front().macros = {"ROCM_WAVEFRONT_SIZE"};
  const manifest::Catalog catalog = catalog_of({reads, make_op("other")});
  const auto words = [&](const Made& made, const std::string& op, const std::string& file) {
    return steps_for(made, op, file).front()->argv;
  };
  // D07 of what is known to go wrong: no GPU here, and the value is right.
  const Made large = plan_for({{}, {"rocm"}, "gfx90a;gfx942", {}}, catalog, make_rocm());
  CHECK(has_word(words(large, "reads", "kernel.o"), "-DROCM_WAVEFRONT_SIZE=64"));
  CHECK(has_word(words(large, "reads", "/reads.o"), "-DROCM_WAVEFRONT_SIZE=64"));
  CHECK_FALSE(has_word(words(large, "other", "kernel.o"), "-DROCM_WAVEFRONT_SIZE=64"));
  const Made small = plan_for({{}, {"rocm"}, "gfx1100", {}}, catalog, make_rocm());
  CHECK(has_word(words(small, "reads", "kernel.o"), "-DROCM_WAVEFRONT_SIZE=32"));

  const Made usual = plan_for({{}, {}, "", {}}, catalog, make_rocm());
  CHECK(usual.find("reads", "rocm", "", kExtensionForm)->archs ==
        Texts{"gfx90a", "gfx942", "gfx950"});
  CHECK(usual.find("other", "rocm", "", kExtensionForm)->archs.size() == 8);
  const Entry* apart = usual.skipped("reads", "rocm", "gfx1100");
  REQUIRE(apart);
  CHECK(apart->reason->text ==
        "reads is built for ROCM_WAVEFRONT_SIZE=64, which is 32 for gfx1100");
  CHECK(apart->reason->hint == "build it alone: --arch rocm:gfx1100");
  CHECK(usual.plan.verdict() == ExitCode::ok);
  // Both were named, and one module can't have both.
  const Made both = plan_for({{"reads"}, {"rocm"}, "gfx90a;gfx1100", {}}, catalog, make_rocm());
  CHECK(both.plan.verdict() != ExitCode::ok);
}

TEST_CASE("an arch whose device library is missing is not built", "[translation]") {
  const Made made = plan_for({{}, {}, "gfx90a;gfx942", {}}, catalog_of({make_op("adam")}),
                             make_rocm({"gfx906", "gfx90a"}));
  CHECK(made.find("adam", "rocm", "", kExtensionForm)->archs == Texts{"gfx90a"});
  CHECK(made.find("adam", "rocm", "gfx942", kExtensionForm)->reason->code ==
        ReasonCode::arch_unknown_to_toolchain);
}

TEST_CASE("without the Python of its torch nothing can be translated, which is a reason",
          "[translation]") {
  probe::Machine machine = make_rocm();
  machine.torches.front().interpreter = Fact<std::string>::missing("no bin/python3");
  const Made made = plan_for({{}, {"rocm"}, "gfx90a", {}}, catalog_of({make_op("adam")}), machine);
  const Entry* entry = made.find("adam", "rocm", "", kExtensionForm);
  REQUIRE(entry);
  CHECK(entry->reason->text.find("no bin/python3") != std::string::npos);
  CHECK(entry->reason->hint == "name the Python that it belongs to: --python PATH");
}

TEST_CASE("D02: an op for AMD is built where CUDA was never heard of, without a word of it",
          "[translation]") {
  probe::Machine machine = make_rocm();
  machine.toolchains.push_back(make_absent("nvcc", "CUDA_HOME and CUDA_PATH are not set"));
  manifest::Op op = make_op("adam");
  op.parts.front().on["cuda"] = {};
  for (const Wishes& wishes :
       {Wishes{{"adam"}, {"rocm"}, "gfx90a", {}}, Wishes{{"adam"}, {}, "gfx90a", {}}}) {
    const Made made = plan_for(wishes, catalog_of({op}), machine);
    CHECK(made.plan.verdict() == ExitCode::ok);
    CHECK(made.find("adam", "rocm", "", kExtensionForm)->state == EntryState::planned);
    std::string said = made.notes() + made.problems();
    for (const Entry& entry : made.plan.entries) {
      if (entry.accelerator == "rocm" && entry.reason) said += with_hint(*entry.reason);
    }
    CHECK_THAT(said, !Catch::Contains("CUDA_HOME") && !Catch::Contains("nvcc"));
  }
}

// ---- SYCL --------------------------------------------------------------------------------------

manifest::Op make_sycl_op() {
  manifest::Op op = make_op("adam");
  manifest::ExtensionPart part;
  part.on["xpu"] = {};
  part.binding = {"/tree/csrc/xpu/frontend.cpp"};
  part.sources = {"/tree/csrc/xpu/adam.dp.cpp"};
  part.options.include = {"/tree/csrc/xpu/includes"};
  part.options.flags["icpx"] = {"-Wno-reorder"};
  op.parts = {part};
  return op;
}

probe::Machine make_oneapi() {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0"), make_toolkit("icpx", "2025.1.0", "cxx", "/opt/oneapi")};
  machine.torches = {make_torch("2.9.0+xpu", "xpu", "2025.1.1")};
  return machine;
}

TEST_CASE(
    "all sources of an op with SYCL sources are compiled by icpx, and their device code is "
    "linked as one object",
    "[translation]") {
  const Made made = plan_for({{}, {"xpu"}, "", {}}, catalog_of({make_sycl_op()}), make_oneapi());
  CHECK(made.problems().empty());
  const Step& kernel = *steps_for(made, "adam", "adam.dp.o", "xpu").front();
  const std::string& out = kernel.outputs.front();
  CHECK(kernel.argv == Texts{"/opt/oneapi/bin/icpx",
                             "-x",
                             "c++",
                             "-c",
                             "-fsycl",
                             "-fsycl-targets=spir64",
                             "-std=c++20",
                             "-O3",
                             "-fPIC",
                             "-march=x86-64-v3",
                             "-fno-strict-aliasing",
                             "-DTORCH_API_INCLUDE_EXTENSION_H",
                             "-I{root2}/csrc/xpu/includes",
                             "-I{root2}",
                             "-isystem",
                             "/venv/lib/python3.11/site-packages/torch/include",
                             "-isystem",
                             "/usr/include/python3.11",
                             "-Wno-reorder",
                             "-MD",
                             "-MF",
                             out + ".d",
                             "{root2}/csrc/xpu/adam.dp.cpp",
                             "-o",
                             out});
  const Step& host = *steps_for(made, "adam", "frontend.o", "xpu").front();
  CHECK(host.argv.front() == "/opt/oneapi/bin/icpx");
  CHECK(has_word(host.argv, "-DTORCH_EXTENSION_NAME=adam"));
  CHECK(has_word(host.argv, "-fsycl"));
  const Step& device = *steps_for(made, "adam", "device.o", "xpu").front();
  CHECK(device.argv == Texts{"/opt/oneapi/bin/icpx", "-fsycl", "-fsycl-targets=spir64",
                             "-fsycl-link", "-fPIC", "-fsycl-max-parallel-link-jobs=1",
                             host.outputs.front(), out, "-o", device.outputs.front()});
  const Entry& entry = *made.find("adam", "xpu", "", kExtensionForm);
  CHECK(entry.archs == Texts{"spir64"});
  const Step& link = made.step(entry.artifact);
  CHECK(link.argv.front() == "/usr/bin/g++");
  for (const std::string& object : {host.outputs.front(), out, device.outputs.front()})
    CHECK(has_word(link.argv, object));
  for (const char* word : {"-L/opt/oneapi/lib", "-lsycl", "-ltorch_xpu"})
    CHECK(has_word(link.argv, word));
}

TEST_CASE("host sources alone need no SYCL compiler, unless the op says so", "[translation]") {
  manifest::Op op = make_sycl_op();
  op.parts.front().sources.clear();
  probe::Machine machine = make_oneapi();
  const Made plain = plan_for({{}, {"xpu"}, "", {}}, catalog_of({op}), machine);
  CHECK(steps_for(plain, "adam", "frontend.o", "xpu").front()->argv.front() == "/usr/bin/g++");
  CHECK(steps_for(plain, "adam", "device.o", "xpu").empty());
  op.parts.front().needs.toolchains.emplace("xpu", *VersionRange::parse(">=2023"));
  const Made asks = plan_for({{}, {"xpu"}, "", {}}, catalog_of({op}), machine);
  CHECK(steps_for(asks, "adam", "frontend.o", "xpu").front()->argv.front() ==
        "/opt/oneapi/bin/icpx");
  machine.toolchains.pop_back();
  CHECK(plan_for({{}, {"xpu"}, "", {}}, catalog_of({op}), machine)
            .find("adam", "xpu", "", kExtensionForm)
            ->state == EntryState::skipped);
}

TEST_CASE(
    "an accelerator for which extensions alone are made stays out of what all ops are built "
    "for",
    "[translation]") {
  const Made made = plan_for({{}, {}, "", {}}, make_catalog(), make_oneapi());
  CHECK(std::none_of(
      made.plan.settings.begin(), made.plan.settings.end(), [](const Setting& setting) {
        return setting.name == "accelerators" && setting.value.find("xpu") != std::string::npos;
      }));
}

}  // namespace
}  // namespace dsbuild::plan
