#include <catch2/catch.hpp>

#include "cli/plan_text.h"

using namespace dsbuild;
using plan::Entry;
using plan::EntryState;
using plan::ReasonCode;

namespace {

Entry entry(const char* accelerator, const char* arch, bool is_planned,
            ReasonCode code = ReasonCode::no_kernel) {
  Entry result;
  result.op = "op";
  result.accelerator = accelerator;
  result.arch = arch;
  result.form = "so";
  result.state = is_planned ? EntryState::planned : EntryState::skipped;
  if (!is_planned) result.reason = plan::Reason{code, "because", "do this"};
  return result;
}

}  // namespace

TEST_CASE("the last line tells what was skipped for want of something, not what nobody asked for") {
  plan::Plan plan;
  plan.entries = {entry("cpu", "v2", true),
                  entry("cuda", "", false, ReasonCode::accelerator_not_requested),
                  entry("emu", "", false, ReasonCode::no_kernel),
                  entry("rocm", "", false, ReasonCode::toolchain_absent)};
  CHECK(cli::planned_accelerators(plan) == std::vector<std::string>{"cpu"});
  CHECK(cli::skipped_accelerators(plan) == std::vector<std::string>{"rocm: because (do this)"});
}

TEST_CASE("each thing that was named and can't be built is one line") {
  plan::Plan plan;
  plan.entries = {entry("rocm", "gfx1", false, ReasonCode::toolchain_absent),
                  entry("rocm", "gfx2", false, ReasonCode::toolchain_absent)};
  CHECK(cli::missing_lines(plan).empty());
  plan.entries[0].required = true;
  CHECK(cli::missing_lines(plan) == std::vector<std::string>{"op, rocm gfx1: because (do this)"});
}

TEST_CASE(
    "--why tells every arch's story: the toolchain and file, or the reason and what would change "
    "it") {
  plan::Plan plan;
  plan.entries = {entry("cpu", "v2", true),
                  entry("rocm", "gfx1", false, ReasonCode::toolchain_absent)};
  plan.entries[0].toolchain = "gcc-12.2.0";
  plan.entries[0].artifact = "images/op/cpu/v2.so";
  const std::string text = report::render_text(cli::explain_op(plan, "op"), {});
  CHECK(text.find("gcc-12.2.0 makes images/op/cpu/v2.so") != std::string::npos);
  CHECK(text.find("because (do this)") != std::string::npos);
}
