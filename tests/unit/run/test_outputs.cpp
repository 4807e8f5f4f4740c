#include "run/outputs.h"
#include "support/temp_folder.h"

namespace dsbuild::run {
namespace {

plan::StepFile step_for(const std::string& output) {
  plan::StepFile step;
  step.id = output;
  step.argv = {"/bin/true"};
  step.outputs = {output};
  return step;
}

TEST_CASE("an output that is missing or empty fails the step", "[outputs]") {
  const test::TempFolder folder;
  plan::StepFile step = step_for("a.o");
  CHECK_THAT(check_outputs(step, folder.path), Catch::StartsWith("a.o was not made"));
  test::write_text(folder / "a.o", "");
  CHECK_THAT(check_outputs(step, folder.path), Catch::StartsWith("a.o is empty"));
  test::write_text(folder / "a.o", "x");
  CHECK(check_outputs(step, folder.path).empty());
  step.depfile = "a.d";
  CHECK_THAT(check_outputs(step, folder.path), Catch::StartsWith("a.d was not made"));
  test::write_text(folder / "a.d", "a.o:");
  CHECK(check_outputs(step, folder.path).empty());
  step.outputs.push_back("b.o");
  CHECK_THAT(check_outputs(step, folder.path), Catch::StartsWith("b.o was not made"));
}

TEST_CASE("exit status 0 proves nothing: an image without its kernels fails the step",
          "[outputs]") {
  const test::TempFolder folder;
  plan::StepFile step = step_for("k.ptx");
  test::write_text(folder / "k.ptx",
                   ".version 8.0\n.target sm_90\n.visible .entry one() { ret; }\n"
                   ".visible .entry two() { ret; }\n");
  step.any_kernel = true;
  CHECK(check_outputs(step, folder.path).empty());
  step.any_kernel = false;
  step.kernels = {"two", "one"};
  CHECK(check_outputs(step, folder.path).empty());
  step.kernels = {"one", "three", "four"};
  CHECK(check_outputs(step, folder.path) == "k.ptx does not hold three, four; it holds one, two");
  test::write_text(folder / "k.ptx", ".version 8.0\n.target sm_90\n");
  CHECK(check_outputs(step, folder.path) ==
        "k.ptx does not hold one, three, four; it holds nothing");
  step.kernels.clear();
  step.any_kernel = true;
  CHECK_THAT(check_outputs(step, folder.path), Catch::StartsWith("k.ptx holds no kernel"));
  test::write_text(folder / "k.ptx", "not PTX");
  CHECK(check_outputs(step, folder.path) == "k.ptx: neither ELF nor PTX");
}

TEST_CASE("kernels of a host library are its exported functions", "[outputs]") {
  const auto cxx = test::find_tool({"g++"});
  if (!cxx) {
    WARN("skipped: no g++ on this machine");
    return;
  }
  const test::TempFolder folder;
  test::write_text(folder / "a.cpp",
                   "extern \"C\" __attribute__((visibility(\"default\"))) void scale() {}\n"
                   "extern \"C\" void hidden() {}\n");
  test::run_tool(
      {*cxx, "-shared", "-fPIC", "-fvisibility=hidden", "-nostdlib", "a.cpp", "-o", "a.so"},
      folder.path);
  plan::StepFile step = step_for("a.so");
  step.kernels = {"scale"};
  CHECK(check_outputs(step, folder.path).empty());
  step.kernels = {"hidden"};
  CHECK(check_outputs(step, folder.path) == "a.so does not hold hidden; it holds scale");
}

TEST_CASE("a device function is no kernel", "[outputs]") {
  const auto nvcc = test::find_tool({"nvcc"});
  if (!nvcc) {
    WARN("skipped: no nvcc on this machine");
    return;
  }
  const test::TempFolder folder;
  test::write_text(folder / "k.cu",
                   "extern \"C\" __device__ __noinline__ int helper(int a) { return a * a; }\n"
                   "extern \"C\" __global__ void scale(int* x) { *x = helper(*x); }\n");
  test::run_tool({*nvcc, "-cubin", "-rdc=true", "k.cu", "-o", "k.cubin"}, folder.path);
  plan::StepFile step = step_for("k.cubin");
  step.kernels = {"scale"};
  CHECK(check_outputs(step, folder.path).empty());
  step.kernels = {"helper"};
  CHECK(check_outputs(step, folder.path) == "k.cubin does not hold helper; it holds scale");
}

TEST_CASE("what a failed step left is removed, and missing files are no error", "[outputs]") {
  const test::TempFolder folder;
  plan::StepFile step = step_for("a.o");
  step.outputs.push_back("b.o");
  step.depfile = "a.d";
  test::write_text(folder / "a.o", "half");
  test::write_text(folder / "a.d", "half");
  write_removal_of_outputs(step, folder.path);
  CHECK(std::filesystem::is_empty(folder.path));
}

}  // namespace
}  // namespace dsbuild::run
