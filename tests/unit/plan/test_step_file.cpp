#include <catch2/catch.hpp>

#include "base/error.h"
#include "plan/step_file.h"

namespace dsbuild::plan {
namespace {

StepFile odd_step() {
  StepFile step;
  step.id = "images/op/acc/a.so";
  step.what = "image of op";
  step.argv = {"/opt/sp ace/cc", "", "-DX=\"q'uote\"", "line\nbreak", "$HOME", "=", "ü"};
  step.environment = {{"EMPTY", ""}, {"PATH", "/a:/b"}, {"X", "a=b"}};
  step.outputs = {"images/op/acc/a.so", "second"};
  step.depfile = "obj/a.d";
  step.kernels = {"kernel_a", "kernel_b"};
  step.any_kernel = true;
  step.scans = {{{"/cc", "-M", "a b"}, "obj/a.one.d"}, {{"/cc"}, "obj/a.two.d"}};
  step.hash = "0123abcd";
  step.inputs = {"/src/a.cpp", "obj/b=c"};
  step.inputs_only = true;
  step.subprograms = {{"one", "t w o"}, "cc.conf", "$HERE", {"", "a = {stand_ins}"}, "N_[0-9]+"};
  step.toolchain_identity = "cc+host";
  step.roots = {{"build", "/b=/d"}, {"src", "/s p"}};
  return step;
}

TEST_CASE("a step file gives back exactly what was written, whatever bytes the words hold",
          "[step_file]") {
  const StepFile step = odd_step();
  const auto read = parse_step_file(render_step_file(step));
  REQUIRE(read);
  CHECK(read->id == step.id);
  CHECK(read->what == step.what);
  CHECK(read->argv == step.argv);
  CHECK(read->environment == step.environment);
  CHECK(read->outputs == step.outputs);
  CHECK(read->depfile == step.depfile);
  CHECK(read->kernels == step.kernels);
  CHECK(read->any_kernel);
  CHECK(read->scans == step.scans);
  CHECK(read->hash == step.hash);
  CHECK(read->inputs == step.inputs);
  CHECK(read->inputs_only);
  CHECK(read->subprograms == step.subprograms);
  CHECK(read->toolchain_identity == step.toolchain_identity);
  CHECK(read->roots == step.roots);
}

TEST_CASE("what is optional in a step file stays absent", "[step_file]") {
  StepFile step = odd_step();
  step.depfile.clear();
  step.kernels.clear();
  step.any_kernel = false;
  step.environment.clear();
  step.scans.clear();
  step.hash.clear();
  step.inputs.clear();
  step.inputs_only = false;
  step.subprograms = {};
  step.roots.clear();
  const auto read = parse_step_file(render_step_file(step));
  REQUIRE(read);
  CHECK(read->depfile.empty());
  CHECK(read->kernels.empty());
  CHECK_FALSE(read->any_kernel);
  CHECK(read->environment.empty());
  CHECK(read->scans.empty());
  CHECK(read->hash.empty());
  CHECK(read->inputs.empty());
  CHECK_FALSE(read->inputs_only);
  CHECK(read->subprograms == manifest::Subprograms());
  CHECK(read->toolchain_identity.empty());
  CHECK(read->roots.empty());
}

TEST_CASE("a step file that is cut off anywhere is no step file", "[step_file]") {
  const std::string text = render_step_file(odd_step());
  for (std::size_t size = 0; size < text.size(); ++size) {
    CHECK_FALSE(parse_step_file(std::string_view(text).substr(0, size)));
  }
}

TEST_CASE("another version, another tag and a variable without a name are refused", "[step_file]") {
  using namespace std::string_literals;
  const std::string head = "dsbuild-step 1\0"s;
  const std::string body = "ia\0aa\0oa\0"s;
  const std::string end = ".\0"s;
  REQUIRE(parse_step_file(head + body + end));
  CHECK_FALSE(parse_step_file("dsbuild-step 2\0"s + body + end));
  CHECK_FALSE(parse_step_file(head + body + "zvalue\0"s + end));
  CHECK_FALSE(parse_step_file(head + body + "e=value\0"s + end));
  CHECK_FALSE(parse_step_file(head + body + "sword of no scan\0"s + end));
  CHECK_FALSE(parse_step_file(head + body + "enoequals\0"s + end));
  CHECK_FALSE(parse_step_file(head + body + "\0"s + end));
  CHECK_FALSE(parse_step_file(head + body + end + body));
  CHECK_FALSE(parse_step_file(head + "ia\0aa\0"s + end));
}

TEST_CASE("a NUL byte in a command is an error that names the step", "[step_file]") {
  StepFile step = odd_step();
  step.argv.push_back(std::string("a\0b", 3));
  try {
    render_step_file(step);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::bad_input);
    CHECK(error.where == "step images/op/acc/a.so");
  }
}

}  // namespace
}  // namespace dsbuild::plan
