#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "plan/compile_words.h"
#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

Made plan_op(const std::string& op, const std::string& arch = "",
             const Environment& environment = {}) {
  Wishes wishes{{op}, {}, arch, {}};
  wishes.environment = environment;
  return plan_for(wishes, make_catalog(), make_full_machine());
}

std::set<std::string> standards(const Plan& plan) {
  std::set<std::string> found;
  for (const Step& step : plan.steps) {
    for (const std::string& word : step.argv) {
      if (word.starts_with("-std=")) found.insert(word);
    }
  }
  return found;
}

TEST_CASE("an image is made in the op's own folder, from sources named by their root", "[steps]") {
  const Made made = plan_op("axpy", "9.0");
  const Entry* entry = made.find("axpy", "cpu", "x86-64-v3", "so");
  REQUIRE(entry);
  CHECK(entry->artifact == "images/axpy/cpu/x86-64-v3.so");
  CHECK(entry->steps == std::vector<std::string>{"obj/axpy/cpu/x86-64-v3/kernels.o",
                                                 "images/axpy/cpu/x86-64-v3.so"});
  const Step& compile = made.step("obj/axpy/cpu/x86-64-v3/kernels.o");
  CHECK(compile.inputs == std::vector<std::string>{"{root1}/ops/axpy/kernels.cpp"});
  CHECK(compile.outputs == std::vector<std::string>{"{build}/obj/axpy/cpu/x86-64-v3/kernels.o"});
  CHECK(compile.depfile == "{build}/obj/axpy/cpu/x86-64-v3/kernels.o.d");
  CHECK(compile.what == "kernels.o axpy x86-64-v3");
  CHECK(has_word(compile.argv, "-march=x86-64-v3"));
  CHECK(has_word(compile.argv, "-ffile-prefix-map={root1}=."));
  for (const char* folder :
       {"-I{root1}/ops/axpy", "-I{root1}/ops", "-I{src}/ops", "-I{src}/src/runtime/include"}) {
    CHECK(has_word(compile.argv, folder));
  }
  const Step& link = made.step("images/axpy/cpu/x86-64-v3.so");
  CHECK(link.inputs == compile.outputs);
  CHECK(link.what == "so axpy x86-64-v3");
  CHECK(link.kernels == std::vector<std::string>{"axpy_fp32"});
  CHECK_FALSE(link.any_kernel);
  CHECK(link.depfile.empty());
}

TEST_CASE("a kernel set without names of kernels must make at least one", "[steps]") {
  const Made made = plan_op("attn", "gfx942");
  CHECK(made.step("images/attn/rocm/gfx942.HEAD_DIM-64.hsaco").any_kernel);
}

TEST_CASE("an instance is a macro of its own compile", "[steps]") {
  const Made made = plan_op("attn", "9.0");
  const Step& step = made.step("images/attn/cuda/sm_90.HEAD_DIM-64.cubin");
  CHECK(has_word(step.argv, "-DHEAD_DIM=64"));
  CHECK(has_word(step.argv, "-DATTN=1"));
  CHECK(step.what == "cubin attn sm_90 HEAD_DIM-64");
}

TEST_CASE("sources that use a vendor's headers don't see those of freestanding ones", "[steps]") {
  const Made made = plan_op("attn", "9.0");
  const Step& step = made.step("images/attn/cuda/sm_90a.cubin");
  CHECK(has_word(step.argv, "-I{root1}/ops/attn"));
  CHECK_FALSE(has_word(step.argv, "-I{src}/ops"));
}

TEST_CASE("the library of an op must export the table of dsops ABI 1", "[steps]") {
  const Made made = plan_op("axpy", "9.0");
  const Entry* library = made.find("axpy", "cpu", "", "library");
  REQUIRE(library);
  CHECK(library->artifact == "lib/x86_64-linux-gnu/axpy.so");
  const Step& link = made.step("lib/x86_64-linux-gnu/axpy.so");
  CHECK(link.kernels == std::vector<std::string>{"dsops_library_v1"});
  CHECK(link.inputs == std::vector<std::string>{"{build}/obj/axpy/cpu/library/op.o"});
  CHECK(has_word(made.step("obj/axpy/cpu/library/op.o").argv, "-march=x86-64-v2"));
}

TEST_CASE("a link exports what the op exports and hides the rest", "[steps]") {
  const Made made = plan_op("axpy", "9.0");
  const std::string path = "{build}/obj/axpy/cpu/library/exports.map";
  const Step& link = made.step("lib/x86_64-linux-gnu/axpy.so");
  CHECK(has_word(link.argv, "-Wl,--version-script=" + path));
  CHECK(link.files == std::map<std::string, std::string>{
                          {path, "{\n  global: dsops_library_v1;\n  local: *;\n};\n"}});

  manifest::Catalog catalog = make_catalog();
  manifest::Op& legacy = catalog.ops.at("legacy");
  const auto exports_of = [&](std::vector<std::string> symbols) {
    legacy.exports = std::move(symbols);
    const Made shared = plan_for({{"legacy"}, {}, "9.0", {}}, catalog, make_full_machine());
    return shared.step("lib/x86_64-linux-gnu/cuda/legacy.so").files.begin()->second;
  };
  CHECK(exports_of({"one", "two"}) == "{\n  global: one; two;\n  local: *;\n};\n");
  CHECK(exports_of({}) == "{ global: *; };\n");
}

TEST_CASE("the runtime goes into every bundle, and into no plan that makes nothing", "[steps]") {
  manifest::Catalog catalog = make_catalog();
  manifest::Op runtime;
  runtime.name = "dsops";
  runtime.kind = manifest::OpKind::shared_library;
  runtime.root = catalog.roots.front();
  runtime.folder = runtime.root / "src";
  runtime.host_sources = {runtime.folder / "runtime/api.cpp"};
  runtime.exports = {"dsops_bundle_open"};
  catalog.runtime = runtime;
  const Made made = plan_for({{"axpy"}, {}, "9.0", {}}, catalog, make_full_machine());
  const Entry* entry = made.find("dsops", "cpu", "", "library");
  REQUIRE(entry);
  CHECK(entry->artifact == "lib/x86_64-linux-gnu/libdsops.so");
  CHECK(made.step("lib/x86_64-linux-gnu/libdsops.so").kernels == runtime.exports);
  CHECK(made.step("obj/dsops/cpu/library/api.o").inputs ==
        std::vector<std::string>{"{src}/src/runtime/api.cpp"});
  CHECK_FALSE(plan_for({{"axpy"}, {}, "9.0", {}}, catalog, make_machine())
                  .find("dsops", "cpu", "", "library"));
}

TEST_CASE("what loading an image needs is told", "[steps]") {
  const Made made = plan_op("axpy", "9.0");
  using Needs = std::map<std::string, std::string>;
  CHECK(made.find("axpy", "cpu", "x86-64-v3", "so")->needs == Needs{{"cpu", "x86-64-v3"}});
  CHECK(made.find("axpy", "cpu", "", "library")->needs == Needs{{"cpu", "x86-64-v2"}});
  CHECK(made.find("axpy", "cuda", "sm_90", "cubin")->needs == Needs{{"driver", ">=13.0"}});
  CHECK(made.find("axpy", "cuda", "sm_90", "ptx")->needs == Needs{{"driver", ">=13.0"}});
}

TEST_CASE("A09: PTX of a clang needs the driver of its own version, not of the ptxas's",
          "[steps]") {
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0"), make_clang_ptxas("16.0.6", "12.4", {"sm_90"})};
  const Made made = plan_for({{"axpy"}, {}, "9.0+PTX", {}}, make_catalog(), machine);
  using Needs = std::map<std::string, std::string>;
  const Entry* ptx = made.find("axpy", "cuda", "sm_90", "ptx");
  REQUIRE(ptx);
  CHECK(has_word(made.step(ptx->steps.back()).argv, "--cuda-feature=+ptx78"));
  CHECK(ptx->needs == Needs{{"driver", ">=11.8"}});
  CHECK(made.find("axpy", "cuda", "sm_90", "cubin")->needs == Needs{{"driver", ">=12.0"}});
}

TEST_CASE("a step's environment is complete, and nothing leaks in", "[steps]") {
  const Environment user = {{"NVCC_APPEND_FLAGS", "-lineinfo"}, {"CPATH", "/evil"},
                            {"PATH", "/home/me/bin"},           {"HOME", "/home/me"},
                            {"LC_ALL", "de_DE.UTF-8"},          {"SOURCE_DATE_EPOCH", ""}};
  const Made made = plan_op("axpy", "9.0", user);
  CHECK(made.step("obj/axpy/cpu/x86-64-v3/kernels.o").environment ==
        Environment{
            {"LC_ALL", "C"}, {"PATH", "/usr/bin:/usr/local/bin:/bin"}, {"SOURCE_DATE_EPOCH", "0"}});
  CHECK(made.step("images/axpy/cuda/sm_90.cubin").environment ==
        Environment{{"LC_ALL", "C"},
                    {"PATH", "/usr/local/cuda-13.0/bin:/usr/bin:/usr/local/bin:/bin"},
                    {"SOURCE_DATE_EPOCH", "0"}});
  const Made dated = plan_op("axpy", "9.0", {{"SOURCE_DATE_EPOCH", "1700000000"}});
  CHECK(dated.step("images/axpy/cuda/sm_90.cubin").environment.at("SOURCE_DATE_EPOCH") ==
        "1700000000");
}

TEST_CASE("what compilers would obey and steps don't get is told", "[steps]") {
  const Plan plan = plan_op("axpy", "9.0",
                            {{"NVCC_APPEND_FLAGS", "-lineinfo"}, {"CPATH", "/x"}, {"CXXFLAGS", ""}})
                        .plan;
  REQUIRE(!plan.notes.empty());
  CHECK(plan.notes.back().starts_with("not passed on to compilers: CPATH, NVCC_APPEND_FLAGS ("));
  const auto has_setting = [](const Plan& made) {
    return std::any_of(made.settings.begin(), made.settings.end(), [](const Setting& setting) {
      return setting.name == "not passed on" && setting.value == "CPATH NVCC_APPEND_FLAGS";
    });
  };
  CHECK(has_setting(plan));
  CHECK_FALSE(has_setting(plan_op("axpy", "9.0").plan));
}

TEST_CASE("where temporary files go is passed on and changes no step's hash", "[steps]") {
  const Made plain = plan_op("axpy", "9.0");
  const Made moved = plan_op("axpy", "9.0", {{"TMPDIR", "/var/tmp"}});
  const std::string id = "images/axpy/cuda/sm_90.cubin";
  CHECK(moved.step(id).environment.at("TMPDIR") == "/var/tmp");
  CHECK(step_hash(moved.step(id)) == step_hash(plain.step(id)));
  const Made dated = plan_op("axpy", "9.0", {{"SOURCE_DATE_EPOCH", "1"}});
  CHECK(step_hash(dated.step(id)) != step_hash(plain.step(id)));
}

TEST_CASE("C06: host and device code of an op are compiled with one language standard", "[steps]") {
  for (const char* op : {"axpy", "attn", "legacy"}) {
    INFO(op);
    const Made made = plan_op(op, "9.0");
    CHECK_FALSE(made.planned(op, "cuda").empty());
    CHECK(standards(made.plan) == std::set<std::string>{"-std=c++17"});
  }
}

TEST_CASE("C06: the standard that a manifest asks for is that of every compile of the op",
          "[steps]") {
  manifest::Catalog catalog = make_catalog();
  catalog.ops.at("axpy").options.flags["cxx"] = {"-std=c++20", "-Wall"};
  const Made made = plan_for({{"axpy"}, {}, "9.0", {}}, catalog, make_full_machine());
  CHECK(standards(made.plan) == std::set<std::string>{"-std=c++20"});
  for (const Step& step : made.plan.steps) {
    CHECK(std::count_if(step.argv.begin(), step.argv.end(),
                        [](const auto& word) { return word.starts_with("-std="); }) <= 1);
  }
  CHECK(has_word(made.step("obj/axpy/cpu/x86-64-v3/kernels.o").argv, "-Wall"));
  CHECK_FALSE(has_word(made.step("images/axpy/cuda/sm_90.cubin").argv, "-Wall"));

  catalog.ops.at("axpy").options.flags["nvcc"] = {"-std=c++17"};
  const Made two = plan_for({{"axpy"}, {}, "9.0", {}}, catalog, make_full_machine());
  CHECK(two.diagnostics.has_errors());
  CHECK_THAT(two.problems(), Catch::Contains("the op asks for -std=c++17 and for -std=c++20"));
}

TEST_CASE("C10: no CPU arch flag reaches a device compiler", "[steps]") {
  const Made made = plan_for({}, make_catalog(), make_full_machine());
  std::size_t device_steps = 0;
  for (const Entry& entry : made.plan.entries) {
    if (entry.accelerator != "cuda" && entry.accelerator != "rocm") continue;
    for (const std::string& id : entry.steps) {
      const Step& step = made.step(id);
      if (step.toolchain == "gcc-12.2.0") continue;  // the host part of a fat library
      ++device_steps;
      for (const std::string& word : step.argv) {
        INFO(id << ": " << word);
        CHECK_FALSE(word.starts_with("-march"));
        CHECK_FALSE(word.starts_with("-mavx"));
        CHECK_FALSE(word.starts_with("-mtune"));
      }
    }
  }
  CHECK(device_steps > 20);
}

TEST_CASE("flags reach the tool that they are for", "[steps]") {
  const Made made = plan_op("attn", "9.0, gfx942");
  CHECK(has_word(made.step("images/attn/cuda/sm_90.HEAD_DIM-64.cubin").argv,
                 "--expt-relaxed-constexpr"));
  CHECK_FALSE(has_word(made.step("images/attn/rocm/gfx942.HEAD_DIM-64.hsaco").argv,
                       "--expt-relaxed-constexpr"));
}

TEST_CASE("K09: odd characters in paths are kept as they are in every word", "[steps]") {
  const std::string odd = "/o pt/c:d/do$lar/q'uote/h#sh/\xc3\xbc";
  probe::Machine machine = make_machine();
  machine.toolchains = {make_gcc("12.2.0", odd + "/g++")};
  manifest::Catalog catalog = make_catalog();
  manifest::Op& op = catalog.ops.at("axpy");
  op.root = odd;
  op.folder = odd + "/ops/axpy";
  op.host_sources = {op.folder / "o p.cpp"};
  catalog.roots.back() = odd;
  const Made made = plan_for({{"axpy"}, {"cpu"}, "", {}}, catalog, machine);
  const Step& step = made.step("obj/axpy/cpu/library/o p.o");
  CHECK(step.argv.front() == odd + "/g++");
  CHECK(step.inputs == std::vector<std::string>{"{root1}/ops/axpy/o p.cpp"});
  CHECK(made.plan.paths.at("root1") == odd);
  CHECK(step.environment.at("PATH") == odd + ":/usr/local/bin:/usr/bin:/bin");
}

TEST_CASE("equal plans have equal step hashes, and each part of a step counts", "[steps]") {
  const Step step = plan_op("axpy", "9.0").step("images/axpy/cuda/sm_90.cubin");
  CHECK(step_hash(step) == step_hash(plan_op("axpy", "9.0").step(step.id)));
  std::set<std::string> hashes{step_hash(step)};
  const auto add = [&](auto change) {
    Step other = step;
    change(other);
    hashes.insert(step_hash(other));
  };
  add([](Step& s) { s.argv.push_back("-g"); });
  add([](Step& s) { s.argv.front() += "x"; });
  add([](Step& s) { s.environment["LC_ALL"] = "C.UTF-8"; });
  add([](Step& s) { s.environment["X"] = ""; });
  add([](Step& s) { s.toolchain_identity += "x"; });
  add([](Step& s) { s.kernels.push_back("k"); });
  add([](Step& s) { s.any_kernel = true; });
  add([](Step& s) { s.files["{build}/x"] = "text"; });
  // No concatenation of two words is another's.
  add([](Step& s) { s.argv = {"a", "bc"}; });
  add([](Step& s) { s.argv = {"ab", "c"}; });
  CHECK(hashes.size() == 11);
}

}  // namespace
}  // namespace dsbuild::plan
