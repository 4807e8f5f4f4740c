#include <catch2/catch.hpp>

#include <set>

#include "plan/plan.h"

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
    CHECK((code == ExitCode::no_toolchain || code == ExitCode::no_op ||
           (kReasons[i].code == ReasonCode::step_failed && code == ExitCode::step_failed)));
  }
  CHECK(ids.size() == kReasons.size());
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
