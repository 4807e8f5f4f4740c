// A plan in words, for `plan`, `plan --why`, `show --resolved` and the first and last lines of a
// build. Knows the plan's structs; touches nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "report/document.h"

namespace dsbuild::cli {

/// What would be built, by op and accelerator, and what would not.
report::Document describe_plan(const plan::Plan& plan);

/// Each arch's story for one op: the toolchain and the file, or the reason and what would change
/// it.
report::Document explain_op(const plan::Plan& plan, std::string_view op);

/// The commands of one op's entries, as a shell would take them.
report::Document list_commands(const plan::Plan& plan, std::string_view op);

/// One sentence per thing that was named and can't be built.
std::vector<std::string> missing_lines(const plan::Plan& plan);

/// "rocm: no clang that knows gfx targets (apt-get install clang-19 lld-19)" per accelerator with
/// no entry planned.
std::vector<std::string> skipped_accelerators(const plan::Plan& plan);

/// "rocm gfx950: no compiler for it (take another one)" for each reason of an arch that is left out
/// of an accelerator that is built.
std::vector<std::string> skipped_archs(const plan::Plan& plan);

/// Accelerators with an image or library in the plan, in order.
std::vector<std::string> planned_accelerators(const plan::Plan& plan);

}  // namespace dsbuild::cli
