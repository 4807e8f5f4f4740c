// What a build says at its end: the table, what was skipped and why, what failed and where to look.
// Knows results, not how they came about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bundle/bundle.h"
#include "plan/plan.h"
#include "report/document.h"
#include "run/build.h"

namespace dsbuild::cli {

/// Op by accelerator with archs and sizes, what was skipped and why, where the bundle is.
report::Document describe_build(const plan::Plan& plan, const bundle::BundleIndex& index,
                                const run::BuildOutcome& outcome, bool bundle_changed,
                                std::string_view out);

/// For each failed step: what it was, the first error, the cause, the command and the log.
/// `published`: a bundle of the rest is.
std::vector<std::string> describe_failures(const run::BuildOutcome& outcome, const plan::Plan& plan,
                                           bool whole_output, bool published);

/// Every command of the plan, one a line, as a shell would take it.
std::string render_commands(const plan::Plan& plan);

}  // namespace dsbuild::cli
