#include <catch2/catch.hpp>

#include "plan/recipes.h"
#include "plan/source_paths.h"
#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("placeholders that have a value are replaced, once, and others stay", "[recipes]") {
  Values outer;
  outer.set("cxx", "/usr/bin/g++");
  outer.set("arch", "outer");
  Values values(&outer);
  values.set("arch", "{cxx}");
  CHECK(expand_text("-march={arch}", values) == "-march={cxx}");
  CHECK(expand_text("{cxx}{cxx}", values) == "/usr/bin/g++/usr/bin/g++");
  CHECK(expand_text("{build}/{arch}{", values) == "{build}/{cxx}{");
  CHECK(expand_text("{{arch}}", values) == "{{cxx}}");
  CHECK(expand_text("", values).empty());
}

TEST_CASE("a list is as many words as it has items", "[recipes]") {
  Values values;
  const Words flags = {"-O2", "a b"};
  const Words none;
  values.set_list("flags", flags);
  values.set_list("none", none);
  CHECK(expand_words({"x", "{flags}", "{none}", "y"}, values) == Words{"x", "-O2", "a b", "y"});
}

manifest::StepTemplate make_template(const Words& argv, const std::string& out, bool each_source) {
  manifest::StepTemplate step;
  step.each_source = each_source;
  step.out = out;
  for (const std::string& word : argv) step.argv.push_back({word, "", {}});
  return step;
}

/// What the steps of an image that g++ makes share.
struct GccGroup {
  probe::Toolchain toolchain = make_gcc("12.2.0");
  Choice choice = [this] {
    Choice made;
    made.toolchain = &toolchain;
    return made;
  }();
  Environment user;
  Values values = make_toolchain_values(choice);
  StepGroup group;

  GccGroup() {
    group.choice = &choice;
    group.user = &user;
    group.folder = "{build}/obj/x";
    group.about = "x";
    group.label = "image";
    group.values = &values;
  }
  GccGroup(const GccGroup&) = delete;
};

TEST_CASE("each step takes what the one before made, and the last one makes the artifact",
          "[recipes]") {
  const GccGroup gcc;
  const std::vector<Step> steps =
      make_steps({make_template({"{cxx}", "-c", "{in}", "-o", "{out}"}, "{stem}.o", true),
                  make_template({"{cxx}", "{in}", "-o", "{out}", "-V{version}"}, "ignored", false)},
                 {"{src}/a.b.cpp", "{src}/sub/c.cpp"}, "{build}/out.so", gcc.group);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].argv == Words{"/usr/bin/g++", "-c", "{src}/a.b.cpp", "-o", "{build}/obj/x/a.b.o"});
  CHECK(steps[1].id == "obj/x/c.o");
  CHECK(steps[2].argv == Words{"/usr/bin/g++", "{build}/obj/x/a.b.o", "{build}/obj/x/c.o", "-o",
                               "{build}/out.so", "-V12.2.0"});
  CHECK(steps[2].inputs == outputs_of({steps[0], steps[1]}));
  CHECK(steps[2].id == "out.so");
  CHECK(steps[2].what == "image x");
}

TEST_CASE("foreign sources are translated first, others are not", "[recipes]") {
  const GccGroup gcc;
  manifest::StepTemplate translation =
      make_template({"/usr/bin/translate", "{in}", "{out}"}, "{stem}.cpp", true);
  translation.suffixes = {".cu"};
  const std::vector<Step> steps =
      make_steps({translation, make_template({"{cxx}", "{in}", "-o", "{out}"}, "x.so", false)},
                 {"{src}/a.cpp", "{src}/b.cu"}, "", gcc.group);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].argv == Words{"/usr/bin/translate", "{src}/b.cu", "{build}/obj/x/b.cpp"});
  CHECK(steps[1].inputs == std::vector<std::string>{"{src}/a.cpp", "{build}/obj/x/b.cpp"});
}

TEST_CASE("words are repeated for each arch of their form", "[recipes]") {
  GccGroup gcc;
  const manifest::Catalog catalog = make_catalog();
  const manifest::Accelerator& cuda = catalog.accelerators.at("cuda");
  manifest::StepTemplate step = make_template({"{cxx}"}, "o", false);
  step.argv.push_back({"", "cubin", {"-code", "sm_{number}"}});
  step.argv.push_back({"", "ptx", {"-ptx={arch}"}});
  const auto arch = [&](const char* name) { return *manifest::parse_arch_name(cuda, name, ""); };
  gcc.group.archs = {{"cubin", arch("8.0")}, {"cubin", arch("9.0a")}, {"ptx", arch("9.0")}};
  CHECK(make_steps({step}, {"in"}, "", gcc.group)[0].argv ==
        Words{"/usr/bin/g++", "-code", "sm_80", "-code", "sm_90a", "-ptx=sm_90"});
}

TEST_CASE("a path is named by the deepest root that holds it", "[recipes]") {
  manifest::Catalog catalog;
  catalog.roots = {"/a", "/a/inner/", "/b"};
  manifest::Op single;
  single.folder = "/elsewhere/op";
  catalog.ops["single"] = single;
  const SourcePaths paths(catalog);
  CHECK(paths.name("/a/x.cpp") == "{src}/x.cpp");
  CHECK(paths.name("/a/inner/x.cpp") == "{root1}/x.cpp");
  CHECK(paths.name("/b") == "{root2}");
  CHECK(paths.name("/bb/x.cpp") == "/bb/x.cpp");
  CHECK(paths.name("/elsewhere/op/x.cpp") == "{root3}/x.cpp");
  CHECK(paths.all().at("root1") == "/a/inner");
}

TEST_CASE(
    "a step that is completed by scans has one for each arch of the form, with a depfile of "
    "its own",
    "[recipes]") {
  GccGroup gcc;
  gcc.group.standard = "-std=c++20";
  gcc.group.archs = {{"one", {}}, {"other", {}}, {"one", {}}};
  gcc.group.archs[0].arch.name = "a1";
  gcc.group.archs[1].arch.name = "p1";
  gcc.group.archs[2].arch.name = "a2";
  manifest::StepTemplate fat =
      make_template({"{cxx}", "-c", "{in}", "-MF", "{depfile}", "-o", "{out}"}, "{stem}.o", true);
  fat.depfile = true;
  fat.scans = {{"", "one", {"{cxx}", "-std=c++17", "-a={arch}", "-MF", "{depfile}", "{in}"}}};
  const std::vector<Step> steps = make_steps({fat}, {"{src}/k.cu"}, "", gcc.group);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].depfile == "{build}/obj/x/k.o.d");
  REQUIRE(steps[0].scans.size() == 2);
  const std::string cxx = gcc.toolchain.values.at("cxx");
  CHECK(steps[0].scans[0] ==
        Scan{{cxx, "-std=c++20", "-a=a1", "-MF", "{build}/obj/x/k.o.a1.d", "{src}/k.cu"},
             "{build}/obj/x/k.o.a1.d"});
  CHECK(steps[0].scans[1].depfile == "{build}/obj/x/k.o.a2.d");
  Step other = steps[0];
  other.scans[1].argv.push_back("-DX");
  CHECK(step_hash(other) != step_hash(steps[0]));
  CHECK_FALSE(steps[0].inputs_only);
}

}  // namespace
}  // namespace dsbuild::plan
