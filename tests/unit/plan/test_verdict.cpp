#include <catch2/catch.hpp>

#include <set>

#include "plan/plan.h"
#include "support/temp_folder.h"

namespace dsbuild::plan {
namespace {

Entry skipped(ReasonCode code, bool required) {
  Entry entry;
  entry.required = required;
  entry.reason = Reason{code, "why", ""};
  return entry;
}

TEST_CASE("the table of reasons is in the order of the codes, with an id for each", "[verdict]") {
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < kReasons.size(); ++i) {
    CHECK(static_cast<std::size_t>(kReasons[i].code) == i);
    CHECK(&reason_row(kReasons[i].code) == &kReasons[i]);
    CHECK_FALSE(kReasons[i].meaning.empty());
    ids.insert(kReasons[i].id);
    const ExitCode code = kReasons[i].when_required;
    CHECK((code == ExitCode::no_toolchain || code == ExitCode::no_op));
  }
  CHECK(ids.size() == kReasons.size());
}

TEST_CASE("docs/plan.md has a row for each reason, with its meaning and exit code", "[verdict]") {
  const std::string text = test::read_text(std::string(DSBUILD_SOURCE_DIR) + "/docs/plan.md");
  for (const ReasonRow& row : kReasons) {
    // What the user left out by name is never required.
    const bool never = row.code == ReasonCode::accelerator_not_requested;
    const std::string exit = never ? "-" : std::to_string(static_cast<int>(row.when_required));
    INFO(row.id);
    CHECK(text.find("| `" + std::string(row.id) + "` | " + std::string(row.meaning) + " | " + exit +
                    " |") != std::string::npos);
  }
}

TEST_CASE("the verdict is the gravest code of what was required", "[verdict]") {
  Plan plan;
  CHECK(plan.verdict() == ExitCode::ok);
  plan.entries = {skipped(ReasonCode::need_missing, false)};
  CHECK(plan.verdict() == ExitCode::ok);
  plan.entries.push_back(skipped(ReasonCode::toolchain_absent, true));
  CHECK(plan.verdict() == ExitCode::no_toolchain);
  plan.entries.push_back(skipped(ReasonCode::no_kernel, true));
  CHECK(plan.verdict() == ExitCode::no_op);
  for (Entry& entry : plan.entries) entry.state = EntryState::planned;
  CHECK(plan.verdict() == ExitCode::ok);
}

}  // namespace
}  // namespace dsbuild::plan
