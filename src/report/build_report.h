// (Machine, Plan) -> Document and JSON: what a machine is, and what can be built on it.
// Knows what to tell, not how it looks, and touches nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "plan/plan.h"
#include "probe/machine.h"
#include "report/document.h"

namespace dsbuild::report {

/// One op on one accelerator: what the plan says of all its archs together.
struct OpRow {
  std::string op;
  std::string accelerator;
  std::vector<std::string> archs;  ///< planned images: "sm_90", "sm_121+PTX"
  std::string code;                ///< reason id, when none is planned
  std::string text;                ///< the reason's sentence
  std::string hint;
};

/// In the plan's order. Host libraries are not listed: they follow from the images.
std::vector<OpRow> summarize_ops(const plan::Plan& plan);

/// The environment report: host, toolchains, devices, settings, ops.
Document make_report(const probe::Machine& machine, const plan::Plan& plan,
                     std::string_view dsbuild_version);

/// The same as data: {"schema": 1, "dsbuild", "machine", "settings", "ops"}.
Json make_report_json(const probe::Machine& machine, const plan::Plan& plan,
                      std::string_view dsbuild_version);

}  // namespace dsbuild::report
