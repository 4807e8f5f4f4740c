#include "bundle/ops_record.h"

#include <catch2/catch.hpp>

#include "base/json.h"
#include "probe/frameworks/python_values.h"

namespace dsbuild::bundle {
namespace {

constexpr const char* kText =
    "version='0.19.8'\n"
    "git_hash='abc'\n"
    "git_branch='main'\n"
    "installed_ops={'cpu_adam': 1, 'fused_adam': False, 'utils': True}\n"
    "accelerator_name='cpu'\n"
    "torch_info={'version': '2.15', 'bf16_support': False, 'cuda_version': '13.2'}\n"
    "extra='kept'\n";

TEST_CASE("a record tells its ops, its accelerator and what torch it is for", "[record]") {
  const OpsRecord record = parse_ops_record(kText);
  CHECK(record.installed == std::vector<std::string>{"cpu_adam", "utils"});
  CHECK(record.accelerator == "cpu");
  CHECK(record.torch == "2.15");
  CHECK(record.cuda == "13.2");
  CHECK(parse_ops_record("").installed.empty());
}

TEST_CASE("ops are added after what a record held, and added again in the same place", "[record]") {
  const std::string once = render_ops_record(kText, {"fused_adam", "dc"}, {"utils"}, "cpu", {});
  CHECK(once.starts_with(kText));
  CHECK(parse_ops_record(once).installed ==
        std::vector<std::string>{"cpu_adam", "dc", "fused_adam"});
  CHECK(render_ops_record(once, {"fused_adam", "dc"}, {}, "cpu", {}) == once);
}

TEST_CASE("where there was no record the new one has all that DeepSpeed imports from it",
          "[record]") {
  const std::string text = render_ops_record("", {"dc"}, {}, "npu", Version::parse("0.17.1"));
  for (const char* name :
       {"version", "git_hash", "git_branch", "installed_ops", "accelerator_name"}) {
    INFO(name);
    CHECK(probe::parse_python_value(text, name));
  }
  CHECK(probe::parse_python_value(text, "version")->dump() == "\"0.17.1\"");
}

}  // namespace
}  // namespace dsbuild::bundle
