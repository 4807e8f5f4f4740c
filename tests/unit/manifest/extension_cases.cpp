#include "unit/manifest/rule_case.h"

namespace dsbuild::manifest::test {
namespace {

using Edits = std::vector<std::pair<std::string, std::string>>;

/// The sample op made an extension of torch, and what is changed in that.
Edits extension(const Edits& more) {
  Edits edits{{"/kind", R"("python_extension")"},
              {"/host", ""},
              {"/kernels", ""},
              {"/module", R"("pkg.my_op")"},
              {"/parts", R"([{"on": {"gpu": "*"}, "binding": ["op.cpp"], "sources": ["k.cu"]}])"}};
  edits.insert(edits.end(), more.begin(), more.end());
  return edits;
}

}  // namespace

const std::vector<RuleCase>& extension_cases() {
  static const std::vector<RuleCase> cases{
      {Rule::kind_needs, "op", extension({{"/module", ""}}), "",
       "the kind 'python_extension' needs the key 'module'", "add it"},
      {Rule::key_of_other_kind, "op", extension({{"/host", R"({"sources": ["op.cpp"]})"}}), "/host",
       "the kind 'python_extension' has no key 'host'", "remove it"},
      {Rule::key_of_other_kind,
       "op",
       {{"/module", R"("pkg.my_op")"}},
       "/module",
       "the kind 'library' has no key 'module'",
       "remove it"},
      {Rule::key_of_other_kind,
       "op",
       {{"/needs/torch", R"(">=2.1")"}},
       "/needs/torch",
       "the kind 'library' has no key 'torch'",
       "remove it"},
      {Rule::not_a_name, "op", extension({{"/module", R"("my-op")"}}), "/module",
       "'my-op' is no Python module", "write one such as my_package.my_ext"},
      {Rule::part_without_sources, "op", extension({{"/parts/1", R"({"on": {"host": "*"}})"}}),
       "/parts/1", "the part has no sources",
       "add \"binding\" or \"sources\", or say in \"python\" what it is instead"},
      {Rule::no_binding, "op",
       extension({{"/parts/1", R"({"on": {"host": "*"}, "sources": ["k.cpp"]})"}}), "/parts",
       "no part says which source holds the module's init for host",
       "list that source in \"binding\" instead of \"sources\""},
      {Rule::parts_share_source, "op",
       extension({{"/parts/1", R"({"on": {"gpu": "*"}, "sources": ["k.cu"]})"}}), "/parts",
       "'k.cu' is listed twice for gpu", "list it once"},
      {Rule::source_suffix, "op", extension({{"/parts/0/sources/0", R"("inc/op.h")"}}),
       "/parts/0/sources/0", "a part for these accelerators takes no source such as 'inc/op.h'",
       "its sources end with .cpp or .c or .cu"},
      {Rule::unknown_folder, "op", extension({{"/needs/folders", R"(["cutlass"])"}}),
       "/needs/folders/0", "no folder 'cutlass' is described in a tree.json", ""},
      {Rule::bad_range, "op", extension({{"/parts/0/when", R"({"torch": "new"})"}}),
       "/parts/0/when/torch",
       "'new' is no version range: 'new' has no comparison, write for example \">=12.3\" or "
       "\">=12.3, <14\"",
       ""},
      {Rule::unknown_key, "op", extension({{"/parts/0/when", R"({"cuda": ">=12"})"}}),
       "/parts/0/when/cuda", "the key 'cuda' is not known here",
       "known: python, source, toolkit, torch"},
  };
  return cases;
}

}  // namespace dsbuild::manifest::test
