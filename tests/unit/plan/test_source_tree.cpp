// What a source tree brings to a plan: variables that choose ops and flags, folders, lists of
// archs.
#include <catch2/catch.hpp>

#include "base/text.h"
#include "plan/folder_words.h"
#include "plan/targets.h"
#include "plan/tree_variables.h"
#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

using manifest::TreeVariable;
using Strings = std::vector<std::string>;

/// Two ops of the bench's catalog are a tree's.
manifest::Catalog make_tree_catalog() {
  manifest::Catalog catalog = make_catalog();
  catalog.tree.emplace();
  manifest::SourceTree& tree = *catalog.tree;
  tree.name = "deep";
  tree.root = "/deep";
  tree.variables["DEEP_OPS"].does = TreeVariable::Does::all_ops;
  TreeVariable& threads = tree.variables["DEEP_THREADS"];
  threads.does = TreeVariable::Does::flags;
  threads.flags["nvcc"] = {"--threads={count}"};
  TreeVariable& words = tree.variables["DEEP_WORDS"];
  words.does = TreeVariable::Does::flags;
  words.flags["nvcc"] = {"{words}"};
  TreeVariable& debug = tree.variables["DEEP_DEBUG"];
  debug.does = TreeVariable::Does::flags;
  debug.flags["nvcc"] = {"-v"};
  tree.variables["DEEP_STRING"].does = TreeVariable::Does::nothing;
  REQUIRE(catalog.ops.size() >= 2);
  int number = 0;
  for (auto& [name, op] : catalog.ops) op.variable = "DEEP_" + std::to_string(number++);
  return catalog;
}

struct Wished {
  OpWishes wishes;
  Diagnostics diagnostics;
};

Wished wish(const Environment& environment) {
  Wished wished;
  wished.wishes = find_op_wishes(make_tree_catalog(), environment, wished.diagnostics);
  return wished;
}

TEST_CASE("K05: a switch is on or off in eight spellings, and nothing when it is empty") {
  for (const char* on : {"1", "true", "ON", "Yes", " 1 "}) {
    INFO(on);
    const Wished wished = wish({{"DEEP_OPS", on}, {"DEEP_0", on}});
    CHECK(wished.wishes.all == true);
    CHECK(wished.wishes.wanted.size() == 1);
    CHECK(wished.diagnostics.all().empty());
  }
  for (const char* off : {"0", "False", "off", "no"}) {
    INFO(off);
    const Wished wished = wish({{"DEEP_OPS", off}, {"DEEP_0", off}});
    CHECK(wished.wishes.all == false);
    CHECK(wished.wishes.unwanted.size() == 1);
  }
  const Wished empty = wish({{"DEEP_OPS", ""}, {"DEEP_0", "  "}});
  CHECK_FALSE(empty.wishes.all);
  CHECK(empty.wishes.variables.empty());
  const Wished odd = wish({{"DEEP_0", "2"}});
  REQUIRE(odd.diagnostics.has_errors());
  CHECK(odd.diagnostics.all().front().file == "DEEP_0");
  CHECK(odd.diagnostics.all().front().message == "'2' is neither on nor off");
}

TEST_CASE("K05: a name that looks like an op's and is none is told with the nearest one") {
  const Wished wished = wish({{"DEEP_OP", "1"}, {"DEEP_STRING", "x"}, {"OTHER", "1"}});
  REQUIRE(wished.diagnostics.all().size() == 1);
  CHECK(wished.diagnostics.all()[0].severity == Severity::warning);
  CHECK(wished.diagnostics.all()[0].file == "DEEP_OP");
  CHECK(wished.diagnostics.all()[0].hint.find("DEEP_OPS") != std::string::npos);
}

Strings ops_of(const Plan& plan) {
  std::set<std::string> names;
  for (const Entry& entry : plan.entries) names.insert(entry.op);
  return {names.begin(), names.end()};
}

Made plan_with(const Environment& environment, const Strings& ops = {}) {
  const manifest::Catalog catalog = make_tree_catalog();
  const probe::Machine machine = make_full_machine();
  Request request;
  request.environment = environment;
  request.ops = ops;
  Made made;
  made.plan = make_plan(request, catalog, machine, made.diagnostics);
  return made;
}

TEST_CASE("K05: an op's own variable means that op alone, or leaves it out; --ops beats it") {
  const manifest::Catalog catalog = make_tree_catalog();
  Strings all;
  for (const auto& [name, op] : catalog.ops) all.push_back(name);
  CHECK(ops_of(plan_with({}).plan) == all);
  CHECK(ops_of(plan_with({{"DEEP_0", "1"}}).plan) == Strings{all[0]});
  CHECK(ops_of(plan_with({{"DEEP_OPS", "0"}, {"DEEP_1", "1"}}).plan) == Strings{all[1]});
  CHECK(ops_of(plan_with({{"DEEP_OPS", "1"}, {"DEEP_1", "1"}}).plan) == all);
  const Strings rest(all.begin() + 1, all.end());
  CHECK(ops_of(plan_with({{"DEEP_0", "0"}}).plan) == rest);
  CHECK(ops_of(plan_with({{"DEEP_OPS", "1"}, {"DEEP_0", "0"}}).plan) == rest);
  CHECK(ops_of(plan_with({{"DEEP_OPS", "1"}, {"DEEP_0", "0"}}, {all[0]}).plan) == Strings{all[0]});
  const Made none = plan_with({{"DEEP_OPS", "0"}});
  REQUIRE(none.diagnostics.has_errors());
  CHECK(none.diagnostics.all().front().message == "no op is asked for");
}

TEST_CASE("flags of a tree's variables: counts are counts, switches are switches") {
  const auto flags = [](const Environment& environment, Diagnostics& diagnostics) {
    return find_tree_flags(make_tree_catalog(), environment, diagnostics);
  };
  Diagnostics fine;
  const auto found = flags({{"DEEP_THREADS", "3"}, {"DEEP_DEBUG", "on"}}, fine);
  REQUIRE(found.size() == 2);
  CHECK(found[0].variable == "DEEP_DEBUG");
  CHECK(found[1].flags.at("nvcc") == Strings{"--threads=3"});
  CHECK(flags({{"DEEP_THREADS", ""}, {"DEEP_DEBUG", "0"}}, fine).empty());
  CHECK(fine.all().empty());
  const auto given = flags({{"DEEP_WORDS", " -allow-unsupported-compiler  -I/opt/x "}}, fine);
  REQUIRE(given.size() == 1);
  CHECK(given[0].flags.at("nvcc") == Strings{"-allow-unsupported-compiler", "-I/opt/x"});
  for (const char* ours :
       {"-gencode arch=compute_90,code=sm_90", "-ccbin=g++-12", "-o x", "-keep"}) {
    INFO(ours);
    Diagnostics diagnostics;
    CHECK(flags({{"DEEP_WORDS", ours}}, diagnostics).empty());
    CHECK(diagnostics.has_errors());
  }
  for (const char* odd : {"0", "-1", "many", "3x"}) {
    INFO(odd);
    Diagnostics diagnostics;
    CHECK(flags({{"DEEP_THREADS", odd}}, diagnostics).empty());
    CHECK(diagnostics.has_errors());
  }
}

TEST_CASE("a list of archs by name is that of the toolkit's version") {
  manifest::Catalog catalog = make_tree_catalog();
  std::vector<manifest::NamedArchs>& list = catalog.tree->archs["deep"];
  list.resize(3);
  list[0].archs["cuda"] = {"7.5"};
  list[1].archs["cuda"] = {"8.0"};
  list[1].when.toolkit = VersionRange::parse(">=12");
  list[2].archs["cuda"] = {"9.0"};
  list[2].when.toolkit = VersionRange::parse(">=11, <13");
  const auto archs_with = [&](const std::string& version, const std::string& wish) {
    probe::Machine machine = make_machine();
    machine.toolchains = {make_gcc("12.2.0"),
                          make_nvcc(version, "/cuda", {"sm_75", "sm_80", "sm_90"})};
    Request request;
    request.archs = {{"arch", wish, "--arch"}};
    Diagnostics diagnostics;
    const Scope scope = find_scope(request, catalog, machine, diagnostics);
    INFO(wish);
    CHECK_FALSE(diagnostics.has_errors());
    ToolchainChooser chooser(catalog, machine);
    const manifest::Accelerator& cuda = catalog.accelerators.at("cuda");
    return describe(find_targets(cuda, scope, machine, chooser).list, cuda);
  };
  CHECK(archs_with("12.4", "cuda:deep") == "sm_75, sm_80, sm_90 and ptx of sm_90");
  CHECK(archs_with("11.8", "cuda:deep") == "sm_75, sm_90 and ptx of sm_90");
  CHECK(archs_with("13.0", "deep") == "sm_75, sm_80 and ptx of sm_80");

  Request request;
  request.archs = {{"arch", "cuda:shallow", "--arch"}};
  Diagnostics diagnostics;
  find_scope(request, catalog, make_machine(), diagnostics);
  REQUIRE(diagnostics.has_errors());
  CHECK(diagnostics.all().front().hint.find("cuda:deep") != std::string::npos);
}

TEST_CASE("a folder that an op needs is named to compilers, or is the reason") {
  manifest::Catalog catalog = make_tree_catalog();
  manifest::FolderRule& rule = catalog.tree->folders["cutlass"];
  rule.include = {"include", "tools/util/include"};
  rule.libraries = {".", "lib"};
  rule.range = VersionRange::parse(">=3.1");
  rule.hint = "clone it";
  manifest::Needs needs;
  needs.folders = {"cutlass"};
  probe::Machine machine = make_machine();

  auto reason = find_unmet_folder("evo", needs, catalog, machine);
  REQUIRE(reason);
  CHECK(reason->code == ReasonCode::need_missing);
  CHECK(reason->text == "evo needs cutlass: it was not looked for");
  CHECK(reason->hint == "clone it");

  probe::Folder& folder = machine.folders["cutlass"];
  folder.path = Fact<std::string>::known("/opt/cutlass", "CUTLASS_PATH=/opt/cutlass");
  folder.version = Fact<Version>::known(*Version::parse("2.11.0"), "version.h");
  reason = find_unmet_folder("evo", needs, catalog, machine);
  REQUIRE(reason);
  CHECK(reason->code == ReasonCode::need_version);
  CHECK(reason->text ==
        "evo needs cutlass >=3.1; the one in /opt/cutlass is 2.11.0 (CUTLASS_PATH=/opt/cutlass)");

  folder.version = Fact<Version>::known(*Version::parse("3.5.1"), "version.h");
  CHECK_FALSE(find_unmet_folder("evo", needs, catalog, machine));
  CHECK(folder_include_words(needs, catalog, machine) ==
        Strings{"-isystem", "/opt/cutlass/include", "-isystem", "/opt/cutlass/tools/util/include"});
  CHECK(folder_libraries(needs, catalog, machine) == Strings{"/opt/cutlass", "/opt/cutlass/lib"});

  folder.path = Fact<std::string>::known("", "CUTLASS_PATH=IGNORE");
  folder.version = Fact<Version>::missing("not looked for");
  CHECK_FALSE(find_unmet_folder("evo", needs, catalog, machine));
  CHECK(folder_include_words(needs, catalog, machine).empty());
}

}  // namespace
}  // namespace dsbuild::plan
