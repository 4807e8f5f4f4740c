#include "plan/trials.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"

namespace dsbuild::plan {
namespace {

/// Equal keys give equal answers: the commands, what they read, and where {src} and its like lie.
std::string trial_key(const Trial& trial, const Draft& draft) {
  Hasher hasher;
  hasher.field("source_name", trial.source_name).field("source", trial.source);
  for (const Step& step : trial.steps) {
    hasher.field("step", step_hash(step));
    for (const auto& [name, folder] : draft.paths.all()) {
      const std::string placeholder = "{" + name + "}";
      const bool used = std::any_of(step.argv.begin(), step.argv.end(), [&](const auto& word) {
        return word.find(placeholder) != std::string::npos;
      });
      if (used) hasher.field(placeholder, folder);
    }
  }
  return hasher.hex();
}

}  // namespace

std::string KnownTrial::message() const {
  return result == nullptr ? "" : join(split(result->message, "\r\n"), "; ");
}

KnownTrial add_trial(Draft& draft, Trial trial) {
  KnownTrial known;
  known.key = trial.key = trial_key(trial, draft);
  draft.trials.emplace(known.key, std::move(trial));
  const auto result = draft.machine.trials.find(known.key);
  if (result != draft.machine.trials.end()) known.result = &result->second;
  return known;
}

std::string trial_source(const Trial& trial) {
  return kBuildFolder + trial.source_name;
}

StepPlace trial_place(const std::string& artifact) {
  StepPlace place;
  place.folder = std::string(kBuildFolder) + "obj";
  place.op = "trial";
  place.about = "of a trial";
  place.label = artifact;
  if (!artifact.empty()) place.artifact = kBuildFolder + artifact;
  return place;
}

std::vector<Step> trial_library(const Draft& draft, const Choice& object, const Choice& host,
                                const Choice* device, const PartWords& words,
                                const std::vector<FatArch>& archs, const std::string& source) {
  std::vector<Step> steps = object_steps(draft, object, words, archs, {source}, trial_place(""));
  for (Step& step :
       link_steps(draft, host, device, words, outputs_of(steps), trial_place("trial.so"))) {
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace dsbuild::plan
