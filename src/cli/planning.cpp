#include "cli/planning.h"

#include "run/trials.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {

plan::Plan plan_with_trials(Context& context, const plan::Request& request,
                            manifest::Catalog& catalog, probe::Machine& machine, int jobs,
                            run::Progress& progress) {
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
    }
    if (!changed) return plan;
  }
}

}  // namespace dsbuild::cli
