// What all trials share: their key, their folder, and how one went that has been made.
// Knows neither what is tried nor why; runs nothing.
#pragma once

#include <string>
#include <vector>

#include "plan/draft.h"
#include "plan/steps.h"

namespace dsbuild::plan {

/// A trial that the plan has, and its result if the machine knows one.
struct KnownTrial {
  std::string key;
  const probe::TrialResult* result = nullptr;

  bool failed() const { return result != nullptr && !result->ok; }
  /// The first error lines as one.
  std::string message() const;
};

/// Gives the trial its key and puts it in the plan.
KnownTrial add_trial(Draft& draft, Trial trial);

/// Where a trial's source lies.
std::string trial_source(const Trial& trial);

/// `artifact`: the name of what the last step makes; empty: as the recipe names it.
StepPlace trial_place(const std::string& artifact);

/// Steps that compile the trial's source to an object and link that to a library, as one with
/// objects of `device` is linked; null: without any.
std::vector<Step> trial_library(const Draft& draft, const Choice& object, const Choice& host,
                                const Choice* device, const PartWords& words,
                                const std::vector<FatArch>& archs, const std::string& source);

}  // namespace dsbuild::plan
