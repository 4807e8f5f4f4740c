#include "manifest/rules.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "unit/manifest/rule_case.h"
#include "unit/manifest/sample.h"

using namespace dsbuild;
using namespace dsbuild::manifest;
using namespace dsbuild::manifest::test;

namespace fs = std::filesystem;

namespace {

/// Rules that one edit of one file can't break; the test that does is named.
const std::vector<Rule> kElsewhere{
    Rule::unreadable_file,  // test_read: "a file that can't be read is told"
    Rule::not_a_root,       // test_read: "a root without manifests is told"
    Rule::name_taken,       // test_read: "a name belongs to one file of all roots"
    Rule::no_host,          // test_read: "a catalog without a host accelerator is told"
    Rule::host_taken,       // test_read: "only one accelerator is the host"
    Rule::schema_other,     // test_schema: "a keyword that has no sentence of ours is passed on"
};

const std::string& file_of(const RuleCase& c) {
  static const std::map<std::string, std::string> files{
      {"op", "manifests/ops/my_op.json"},
      {"host", "manifests/accelerators/host.json"},
      {"gpu", "manifests/accelerators/gpu.json"},
      {"tile", "manifests/accelerators/tile.json"}};
  return files.at(c.file);
}

std::string edited(const std::string& text, const RuleCase& c) {
  Json json = Json::parse(text);
  for (const auto& [pointer, value] : c.edits) {
    const Json::json_pointer at(pointer);
    if (!value.empty()) {
      json[at] = Json::parse(value);
    } else if (json[at.parent_pointer()].is_array()) {
      json[at.parent_pointer()].erase(std::stoul(at.back()));
    } else {
      json[at.parent_pointer()].erase(at.back());
    }
  }
  return json.dump(2);
}

/// A sample with things that paths may wrongly name.
class RootForRules : public SampleRoot {
 public:
  RootForRules() {
    write("elsewhere/outside.cpp", "");
    write("ops/my_op/more/op.cpp", "");
    write("ops/my_op/dir.cpp/x", "");
    fs::create_symlink("../../elsewhere/outside.cpp", folder / "ops/my_op/outside.cpp");
    fs::create_symlink("../../elsewhere", folder / "ops/my_op/link");
    fs::create_symlink("turn.cpp", folder / "ops/my_op/turn.cpp");
  }
};

void check_cases(const std::vector<RuleCase>& cases) {
  RootForRules root;
  for (const RuleCase& c : cases) {
    const fs::path file = root.folder / file_of(c);
    const std::string good = dsbuild::test::read_text(file);
    root.write(file_of(c), edited(good, c));
    Diagnostics diagnostics;
    root.read(diagnostics);
    root.write(file_of(c), good);

    INFO(c.file << " " << (c.edits.empty() ? "" : c.edits[0].first + " = " + c.edits[0].second));
    std::string all;
    for (const Diagnostic& d : diagnostics.all()) all += "\n" + render_diagnostic(d);
    INFO(all);
    // What an edit of a descriptor breaks in the op is another test's matter.
    std::vector<Diagnostic> of_file;
    for (const Diagnostic& d : diagnostics.all()) {
      if (d.file == file.string()) of_file.push_back(d);
    }
    CHECK(of_file.size() == 1);
    if (of_file.empty()) continue;
    const std::string folder = root.folder.path.string();
    CHECK(of_file[0].severity == Severity::error);
    CHECK(of_file[0].where == c.where);
    CHECK(replace_all(of_file[0].message, folder, "ROOT") == c.message);
    CHECK(replace_all(of_file[0].hint, folder, "ROOT") == c.hint);
  }
}

}  // namespace

TEST_CASE("the sample catalog breaks no rule", "[rules]") {
  CHECK(RootForRules().told() == std::vector<std::string>{});
}

TEST_CASE("each rule of op manifests tells file, pointer, what is wrong and what to write",
          "[rules]") {
  check_cases(op_form_cases());
  check_cases(op_cases());
  check_cases(extension_cases());
}

TEST_CASE("each rule of descriptors tells file, pointer, what is wrong and what to write",
          "[rules]") {
  check_cases(descriptor_cases());
  check_cases(probe_cases());
}

TEST_CASE("the table of rules is in the order of the enum, and each rule has a case", "[rules]") {
  std::set<Rule> tested(kElsewhere.begin(), kElsewhere.end());
  for (const auto* cases :
       {&op_form_cases(), &op_cases(), &extension_cases(), &descriptor_cases(), &probe_cases()}) {
    for (const RuleCase& c : *cases) {
      tested.insert(c.rule);
      // The case is about that rule: its message begins as the rule's does.
      const std::string_view message = rule_row(c.rule).message;
      const std::string_view fixed = message.substr(0, message.find("{0}"));
      if (fixed.find("{1}") == std::string_view::npos && !fixed.ends_with('{')) {
        CHECK(c.message.starts_with(fixed));
      }
    }
  }
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    CHECK(static_cast<std::size_t>(kRules[i].rule) == i);
    INFO(kRules[i].message);
    CHECK(tested.contains(kRules[i].rule));
  }
}

TEST_CASE("a rule's text keeps the braces that are no arguments", "[rules]") {
  CHECK(expand_rule("'{{0}}' and {depfile} of {1}{2}", {"in", "x"}) ==
        "'{in}' and {depfile} of x{2}");
  CHECK(expand_rule("{0", {"a"}) == "{0");
  CHECK(expand_rule("", {"a"}).empty());
}
