#include <unistd.h>
#include <catch2/catch.hpp>

#include <filesystem>

#include "base/files.h"
#include "base/process.h"
#include "base/system.h"
#include "base/text.h"
#include "ninja/emit.h"
#include "support/temp_folder.h"
#include "unit/plan/workbench.h"

namespace fs = std::filesystem;

namespace dsbuild::ninja {
namespace {

/// A build folder and the real Ninja.
class Build {
 public:
  explicit Build(fs::path folder) : folder_(std::move(folder)) {
    const auto ninja = find_program(PosixSystem(), "ninja");
    REQUIRE(ninja);
    ninja_ = *ninja;
  }

  /// Writes the plan's files and builds; the lines that Ninja printed of steps: "[1/2] what".
  std::vector<std::string> run(const plan::Plan& plan) {
    for (const auto& [name, text] : render_build_files(plan, folder_))
      write_file_if_changed(folder_ / name, text);
    if (!fs::exists(folder_ / "step")) fs::create_symlink(TEST_NINJA_STEP, folder_ / "step");
    Command command;
    command.argv = {ninja_, "-j1"};
    command.environment = {{"PATH", "/usr/bin:/bin"}};
    command.folder = folder_;
    command.limit = {};
    const ProcessResult result = PosixProcessRunner().run(command);
    INFO(result.out << result.err);
    CHECK(result.ok());
    std::vector<std::string> steps;
    for (const std::string& line : split_lines(result.out)) {
      if (line.starts_with('[')) steps.push_back(line.substr(line.find(' ') + 1));
    }
    return steps;
  }

  fs::path path(const std::string& name) const { return folder_ / name; }
  std::string read(const std::string& name) const { return test::read_text(path(name)); }

 private:
  fs::path folder_;
  fs::path ninja_;
};

using Steps = std::vector<std::string>;

plan::Step make_copy(const std::string& cp, const std::string& from, const std::string& to) {
  plan::Step step;
  step.id = to;
  step.what = "copy " + to;
  step.argv = {cp, from, "{build}/" + to};
  step.environment = {{"PATH", "/usr/bin:/bin"}};
  step.inputs = {from};
  step.outputs = {"{build}/" + to};
  return step;
}

TEST_CASE("K09: odd names of source, build, toolkit and output folders go through the real Ninja",
          "[real_ninja]") {
  const test::TempFolder place;
  const std::string odd = "sp ace/c:d/do$lar/q'uote/h#sh/\xc3\xbc/a|b/back\\slash/{x}&;*?\"`(~)";
  const fs::path source = place / odd / "source";
  const fs::path toolkit = place / odd / "toolkit";
  const fs::path build_folder = place / odd / "build";
  write_file(source / "i n:p$u|t", "one");
  write_folder(toolkit);
  fs::create_symlink("/bin/cp", toolkit / "c p");

  plan::Plan plan;
  plan.paths = {{"src", source.string()}};
  const std::string first = "out/" + odd + "/f$i:r s|t";
  plan.steps = {make_copy(toolkit / "c p", "{src}/i n:p$u|t", first),
                make_copy(toolkit / "c p", "{build}/" + first, "second")};
  Build build(build_folder);
  CHECK(build.run(plan) == Steps{"copy " + first, "copy second"});
  CHECK(build.read(first) == "one");
  CHECK(build.read("second") == "one");
  CHECK(build.run(plan).empty());

  write_file(source / "i n:p$u|t", "two");
  CHECK(build.run(plan).size() == 2);
  CHECK(build.read("second") == "two");
}

TEST_CASE(
    "a step runs again when a word of it, its environment or its toolchain changes, and no "
    "other does",
    "[real_ninja]") {
  const test::TempFolder place;
  write_file(place / "source/a", "a");
  plan::Plan plan;
  plan.paths = {{"src", (place / "source").string()}};
  plan.steps = {make_copy("/bin/cp", "{src}/a", "one"), make_copy("/bin/cp", "{src}/a", "two")};
  Build build(place / "build");
  CHECK(build.run(plan).size() == 2);
  plan.steps[0].argv.insert(plan.steps[0].argv.begin() + 1, "-f");
  CHECK(build.run(plan) == Steps{"copy one"});
  plan.steps[1].environment["LC_ALL"] = "C";
  CHECK(build.run(plan) == Steps{"copy two"});
  plan.steps[1].toolchain_identity = "replaced in place";
  CHECK(build.run(plan) == Steps{"copy two"});
  plan.steps[1].environment["TMPDIR"] = "/var/tmp";
  CHECK(build.run(plan).empty());
  plan.steps.push_back(make_copy("/bin/cp", "{src}/a", "zzz"));
  CHECK(build.run(plan) == Steps{"copy zzz"});
}

/// An op "odd" with a CPU kernel in two sources of which one includes a header, planned for the
/// real g++.
plan::Plan plan_odd_op(const fs::path& root, const fs::path& compiler) {
  manifest::Catalog catalog = plan::make_catalog();
  catalog.roots = {catalog.roots.front(), root};
  manifest::Op op;
  op.name = "odd";
  op.root = root;
  op.folder = root / "ops/odd";
  op.host_sources = {op.folder / "o p.cpp"};
  manifest::KernelSet set;
  set.sources = {op.folder / "k 1.cpp", op.folder / "k#2.cpp"};
  set.on["cpu"] = {};
  op.kernels = {set};
  catalog.ops = {{"odd", op}};
  probe::Machine machine = plan::make_machine();
  machine.toolchains = {plan::make_gcc("12.2.0", compiler)};
  const plan::Made made = plan::plan_for({{}, {}, "x86-64-v2", {}}, catalog, machine);
  REQUIRE(made.problems().empty());
  return made.plan;
}

TEST_CASE(
    "P04: a changed header rebuilds exactly what includes it, with the real g++ in an odd "
    "folder",
    "[real_ninja]") {
  const auto gxx = find_program(PosixSystem(), "g++");
  if (!gxx) {
    WARN("skipped: no g++ on PATH");
    return;
  }
  const test::TempFolder place;
  // A quote would be for dsbuild's launcher to mend: Ninja's depfile reader doesn't know it.
  const std::string odd = "sp ace/c:d/do$lar/h#sh/\xc3\xbc";
  const fs::path root = place / odd;
  const fs::path op = root / "ops/odd";
  write_file(op / "o p.cpp",
             "extern \"C\" __attribute__((visibility(\"default\"))) int f() { return 1; }\n");
  write_file(op / "k 1.cpp", "#include \"h #.h\"\nint one() { return VALUE; }\n");
  write_file(op / "k#2.cpp", "int two() { return 2; }\n");
  write_file(op / "h #.h", "#define VALUE 1\n");
  const fs::path compiler = root / "tool kit/g++";
  write_folder(compiler.parent_path());
  fs::create_symlink(*gxx, compiler);

  const plan::Plan plan = plan_odd_op(root, compiler);
  Build build(root / "build");
  CHECK(build.run(plan).size() == 5);
  CHECK(build.run(plan).empty());
  CHECK(fs::exists(build.path("images/odd/cpu/x86-64-v2.so")));
  CHECK(fs::exists(build.path("lib/x86_64-linux-gnu/odd.so")));

  // Ninja compares times in nanoseconds, but a coarse clock may give both writes the same one.
  ::usleep(20'000);
  write_file(op / "h #.h", "#define VALUE 2\n");
  CHECK(build.run(plan) == Steps{"k 1.o odd x86-64-v2", "so odd x86-64-v2"});
  CHECK(build.run(plan).empty());
}

TEST_CASE("the real Ninja takes the build file of a whole plan", "[real_ninja]") {
  const test::TempFolder place;
  plan::Made made = plan::plan_for({}, plan::make_catalog(), plan::make_full_machine());
  // Sources are not there to be compiled: only the file's syntax and its graph are tried.
  for (const auto& [name, text] : render_build_files(made.plan, place.path))
    write_file_if_changed(place / name, text);
  Command command;
  command.argv = {find_program(PosixSystem(), "ninja").value(), "-t", "targets", "all"};
  command.environment = {{"PATH", "/usr/bin:/bin"}};
  command.folder = place.path;
  const ProcessResult result = PosixProcessRunner().run(command);
  CHECK(result.ok());
  CHECK(split_lines(result.out).size() == made.plan.steps.size());
}

}  // namespace
}  // namespace dsbuild::ninja
