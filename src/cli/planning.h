// Planning where tries are allowed. Knows the plan and the runner of its trials.
#pragma once

#include "cli/context.h"
#include "run/progress.h"

namespace dsbuild::cli {

/// Plans, tries what the plan wants tried, and plans again with the answers, until nothing is
/// unknown. `verbose`: what fails is noted, with its command and all that the compiler said.
plan::Plan plan_with_trials(Context& context, const plan::Request& request,
                            manifest::Catalog& catalog, probe::Machine& machine, int jobs,
                            run::Progress& progress, bool verbose = false);

}  // namespace dsbuild::cli
