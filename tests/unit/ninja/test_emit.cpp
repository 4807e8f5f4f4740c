#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/json.h"
#include "ninja/emit.h"
#include "plan/step_file.h"

namespace dsbuild::ninja {
namespace {

using plan::Step;

Step make_step(const std::string& output, const std::vector<std::string>& inputs) {
  Step step;
  step.id = output;
  step.what = "makes " + output;
  step.argv = {"/usr/bin/cc", "-I{src}/include", "-o", "{build}/" + output};
  step.argv.insert(step.argv.end(), inputs.begin(), inputs.end());
  step.environment = {{"PATH", "/bin"}};
  step.inputs = inputs;
  step.outputs = {"{build}/" + output};
  return step;
}

plan::Plan make_plan() {
  plan::Plan plan;
  plan.paths = {{"src", "/checkout"}, {"root1", "/other root"}, {"build", "/somewhere"}};
  plan.steps = {make_step("obj/a.o", {"{src}/a.cpp"}), make_step("out.so", {"{build}/obj/a.o"})};
  plan.steps[0].depfile = "{build}/obj/a.o.d";
  plan.steps[1].kernels = {"k"};
  return plan;
}

std::vector<std::string> edges(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = text.find("\nbuild ", at)) != std::string::npos; ++at)
    found.push_back(text.substr(at + 1, text.find('\n', at + 1) - at - 1));
  return found;
}

TEST_CASE("an edge runs its step file, and its command changes with the step's hash", "[emit]") {
  plan::Plan plan = make_plan();
  const BuildFiles files = render_build_files(plan, "/b");
  const std::string& text = files.at("build.ninja");
  CHECK(edges(text) == std::vector<std::string>{"build obj/a.o: step_with_depfile /checkout/a.cpp",
                                                "build out.so: step obj/a.o"});
  CHECK_THAT(text, Catch::Contains("command = ./step $file #$hash\n"));
  CHECK_THAT(text, Catch::Contains("  file = steps/obj/a.o.argv\n"));
  CHECK_THAT(text, Catch::Contains("  dep = obj/a.o.d\n"));
  CHECK_THAT(text, Catch::Contains("  what = makes out.so\n"));
  CHECK_THAT(text, !Catch::Contains("generator"));
  const std::string hash = plan::step_hash(plan.steps[0]).substr(0, 16);
  CHECK_THAT(text, Catch::Contains("  hash = " + hash + "\n"));
  plan.steps[0].argv.push_back("-g");
  CHECK_THAT(render_build_files(plan, "/b").at("build.ninja"), !Catch::Contains(hash));
}

TEST_CASE("the step that takes longest is written first, so that Ninja starts it first", "[emit]") {
  plan::Plan plan;
  plan.steps = {make_step("a.o", {"{src}/a.cpp"}), make_step("b.o", {"{src}/b.cu"}),
                make_step("c.o", {"{src}/c.cpp"})};
  plan.paths = {{"src", "/checkout"}};
  plan.steps[1].weight = 9000;
  plan.steps[2].weight = 10;
  CHECK(edges(render_build_files(plan, "/b").at("build.ninja")) ==
        std::vector<std::string>{"build b.o: step /checkout/b.cu",
                                 "build c.o: step /checkout/c.cpp",
                                 "build a.o: step /checkout/a.cpp"});
}

TEST_CASE("a step file holds the step with every path real", "[emit]") {
  const BuildFiles files = render_build_files(make_plan(), "/b");
  CHECK(files.size() == 3);
  const auto step = plan::parse_step_file(files.at("steps/obj/a.o.argv"));
  REQUIRE(step);
  CHECK(step->argv == std::vector<std::string>{"/usr/bin/cc", "-I/checkout/include", "-o",
                                               "obj/a.o", "/checkout/a.cpp"});
  CHECK(step->outputs == std::vector<std::string>{"obj/a.o"});
  CHECK(step->depfile == "obj/a.o.d");
  const auto link = plan::parse_step_file(files.at("steps/out.so.argv"));
  REQUIRE(link);
  CHECK(link->kernels == std::vector<std::string>{"k"});
  CHECK(link->depfile.empty());
}

TEST_CASE("nothing that is written depends on where the build folder is", "[emit]") {
  CHECK(render_build_files(make_plan(), "/b") == render_build_files(make_plan(), "/c"));
}

TEST_CASE("B03: two-digit majors reach the build file whole", "[emit]") {
  plan::Plan plan = make_plan();
  for (const char* arch : {"sm_100", "sm_103", "sm_110", "sm_120", "sm_121"}) {
    plan.steps.push_back(
        make_step("images/x/cuda/" + std::string(arch) + ".cubin", {"{src}/k.cu"}));
  }
  const std::string text = render_build_files(plan, "/b").at("build.ninja");
  for (const char* arch : {"sm_100", "sm_103", "sm_110", "sm_120", "sm_121"})
    CHECK_THAT(text, Catch::Contains("build images/x/cuda/" + std::string(arch) + ".cubin: "));
}

TEST_CASE("the name of a step file is safe in a shell and tells steps apart", "[emit]") {
  plan::Plan plan = make_plan();
  const std::string long_name(300, 'n');
  plan.steps = {};
  const std::set<std::string> odd = {"a b.o", "a_b.o",  "a;b.o",         "a$(b).o",      "a'b.o",
                                     "ü.o",   "a\"b.o", long_name + "1", long_name + "2"};
  for (const std::string& output : odd) plan.steps.push_back(make_step(output, {"{src}/a.cpp"}));
  const BuildFiles files = render_build_files(plan, "/b");
  CHECK(files.size() == odd.size() + 1);
  for (const auto& [name, text] : files) {
    INFO(name);
    CHECK(std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 ||
             std::string_view("_-+./").find(static_cast<char>(c)) != std::string_view::npos;
    }));
    CHECK(name.substr(name.rfind('/') + 1).size() < 255);
  }
  CHECK(files.contains("steps/a_b.o.argv"));
}

TEST_CASE("K09: a line break in any folder is refused", "[emit]") {
  CHECK_THROWS_AS(render_build_files(make_plan(), "/b\nc"), Error);
  plan::Plan source = make_plan();
  source.paths["src"] = "/check\nout";
  CHECK_THROWS_AS(render_build_files(source, "/b"), Error);
  plan::Plan toolkit = make_plan();
  toolkit.steps[1].argv[0] = "/opt/tool\nkit/cc";
  CHECK_THROWS_AS(render_build_files(toolkit, "/b"), Error);
}

TEST_CASE("placeholders of paths are replaced once, unknown ones stay", "[emit]") {
  const std::map<std::string, std::string> paths = {
      {"src", "/s/{root1}"}, {"root1", "/r"}, {"build", ""}};
  CHECK(expand_paths("{src}/a", paths) == "/s/{root1}/a");
  CHECK(expand_paths("-ffile-prefix-map={root1}=.", paths) == "-ffile-prefix-map=/r=.");
  CHECK(expand_paths("{build}/a:{build}", paths) == "a:.");
  CHECK(expand_paths("-I{build}/x", paths) == "-Ix");
  CHECK(expand_paths("{other} {src", paths) == "{other} {src");
  CHECK(expand_paths("{{root1}}", paths) == "{/r}");
  CHECK(expand_paths("", paths).empty());
}

TEST_CASE("the compilation database has the compiles and no links", "[emit]") {
  Diagnostics diagnostics;
  const auto commands =
      parse_json(render_compile_commands(make_plan(), "/b ü"), "test", diagnostics);
  REQUIRE(commands);
  REQUIRE(commands->size() == 1);
  CHECK(commands->at(0).at("directory") == "/b ü");
  CHECK(commands->at(0).at("file") == "/checkout/a.cpp");
  CHECK(commands->at(0).at("output") == "obj/a.o");
  CHECK(commands->at(0).at("arguments").at(1) == "-I/checkout/include");
}

}  // namespace
}  // namespace dsbuild::ninja
