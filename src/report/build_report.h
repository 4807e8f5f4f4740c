// (Machine, Plan) -> Document and JSON: what a machine is, and what can be built on it.
// Knows what to tell, not how it looks, and touches nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "plan/plan.h"
#include "probe/machine.h"
#include "report/document.h"

namespace dsbuild::report {

/// Archs of an op that are not built for one and the same reason.
struct Skip {
  std::vector<std::string> archs;  ///< empty: all of the accelerator
  plan::Reason reason;

  /// "gfx950: no compiler for it (install one)"
  std::string text() const;
};

/// One op on one accelerator: what the plan says of all its archs together.
struct OpRow {
  std::string op;
  std::string accelerator;
  std::vector<std::string> archs;  ///< planned images: "sm_90", "sm_121+ptx"
  std::vector<Skip> skips;
};

/// In the plan's order. Host libraries are not listed: they follow from the images.
std::vector<OpRow> summarize_ops(const plan::Plan& plan);

/// The table of it: what is planned, and below it what is not. `heading` is over the archs.
Section make_ops_section(const plan::Plan& plan, std::string title, std::string heading);

/// The environment report: host, toolchains, devices, settings, ops.
Document make_report(const probe::Machine& machine, const plan::Plan& plan,
                     std::string_view dsbuild_version);

/// The same as data: {"schema": 1, "dsbuild", "machine", "settings", "ops"}.
Json make_report_json(const probe::Machine& machine, const plan::Plan& plan,
                      std::string_view dsbuild_version);

}  // namespace dsbuild::report
