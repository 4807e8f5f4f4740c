#include "cli/planning.h"

#include <fmt/format.h>

#include "run/trials.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {
namespace {

void tell_failure(Context& context, const plan::Plan& plan, const std::string& key,
                  const probe::TrialResult& result) {
  for (const plan::Trial& trial : plan.trials) {
    if (trial.key == key)
      context.note(fmt::format("dsbuild: {} failed:\n{}", trial.what, result.log));
  }
}

}  // namespace

plan::Plan plan_with_trials(Context& context, const plan::Request& request,
                            manifest::Catalog& catalog, probe::Machine& machine, int jobs,
                            run::Progress& progress, bool verbose) {
  const fs::path cache = context.cache_folder();
  for (;;) {
    plan::Plan plan = context.plan(request, catalog, machine);
    if (plan.verdict() != ExitCode::ok && !request.keep_going) return plan;
    auto known = run::read_trial_results(plan, cache);
    known.insert(machine.trials.begin(), machine.trials.end());
    auto results = run::run_trials(plan, known, cache, jobs, progress);
    bool changed = false;
    for (const auto& [key, result] : results) {
      const bool is_new = machine.trials.emplace(key, result).second;
      changed = changed || (is_new && !result.ok);
      if (verbose && is_new && !result.ok) tell_failure(context, plan, key, result);
    }
    if (!changed) return plan;
  }
}

}  // namespace dsbuild::cli
