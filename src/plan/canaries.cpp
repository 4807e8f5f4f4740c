#include "plan/canaries.h"

#include <fmt/format.h>

#include <tuple>

#include "plan/trials.h"

namespace dsbuild::plan {
namespace {

using manifest::Accelerator;

/// None of any manifest, so that what fails is the toolchain.
PartWords canary_words() {
  PartWords words;
  words.source_root = "{build}";
  return words;
}

/// The first arch that is built in this form, so that the same canary serves whatever ops are asked
/// for.
manifest::ArchName canary_arch(const Draft& draft, const Accelerator& accelerator,
                               const probe::Toolchain& toolchain, const std::string& form,
                               const manifest::ArchName& otherwise) {
  const auto targets = draft.targets.find(accelerator.name);
  if (targets == draft.targets.end()) return otherwise;
  for (const Target& target : targets->second.list) {
    if (!target.reason && target.form == form && offers(toolchain, target.arch.name))
      return target.arch;
  }
  return otherwise;
}

Trial begin_canary(const Accelerator& accelerator, const Choice& choice, const std::string& form) {
  Trial trial;
  trial.what =
      fmt::format("canary of {} ({} for {})", choice.toolchain->id, form, accelerator.name);
  trial.source_name = accelerator.canary_name;
  trial.source = accelerator.canary;
  trial.hint = "mend this toolchain or take another one with --toolkit";
  return trial;
}

Trial image_canary(const Draft& draft, const Item& item) {
  Trial trial = begin_canary(*item.accelerator, item.choice, item.entry.form);
  Item canary = item;
  canary.arch =
      canary_arch(draft, *item.accelerator, *item.choice.toolchain, item.entry.form, item.arch);
  trial.steps = image_steps(draft, canary, canary_words(), {trial_source(trial)},
                            trial_place("canary." + item.entry.form));
  return trial;
}

Trial library_canary(const Draft& draft, const Item& item, const Accelerator& accelerator,
                     const Choice& choice) {
  Trial trial = begin_canary(accelerator, choice, kLibraryForm);
  std::vector<FatArch> archs;
  if (!accelerator.host) {
    const std::string& form = accelerator.image_form;
    archs = {{form, canary_arch(draft, accelerator, *choice.toolchain, form,
                                fat_archs_of(item).front().arch)}};
  }
  trial.steps =
      trial_library(draft, choice, item.host_choice, canary_words(), archs, trial_source(trial));
  return trial;
}

Reason failed_canary(const Choice& choice, const Trial& trial, const std::string& message) {
  const std::string who =
      choice.host_compiler == nullptr
          ? describe(*choice.toolchain) + " failed its canary"
          : fmt::format("{} and its host compiler {} do not work together",
                        describe(*choice.toolchain), describe(*choice.host_compiler));
  return {ReasonCode::trial_failed, who + ": " + message, trial.hint};
}

class Canaries {
 public:
  explicit Canaries(Draft& draft) : draft_(draft) {}

  bool add(Item& item) {
    if (item.set != nullptr) return add(item, *item.accelerator, item.choice, item.entry.form);
    bool good = add(item, draft_.catalog.host(), item.host_choice, kLibraryForm);
    if (!item.accelerator->host && !fat_archs_of(item).empty())
      good = add(item, *item.accelerator, item.choice, kLibraryForm) && good;
    return good;
  }

 private:
  bool add(Item& item, const Accelerator& accelerator, const Choice& choice,
           const std::string& form) {
    if (accelerator.canary.empty()) return true;
    const auto [at, is_new] = keys_.try_emplace({accelerator.name, choice.toolchain->id, form});
    if (is_new) {
      Trial trial = form == kLibraryForm ? library_canary(draft_, item, accelerator, choice)
                                         : image_canary(draft_, item);
      if (form == kLibraryForm && !accelerator.host) {
        // Kernels inside a library need not be visible in it: nvcc 13 hides their host stubs.
        trial.steps.back().any_kernel = true;
      } else {
        trial.steps.back().kernels = {accelerator.canary_kernel};
      }
      const KnownTrial known = add_trial(draft_, trial);
      at->second = known.key;
      if (known.failed()) {
        draft_.chooser.exclude(accelerator.name, choice.toolchain->id,
                               failed_canary(choice, trial, known.message()));
        return false;
      }
    }
    item.entry.trials.push_back(at->second);
    return true;
  }

  Draft& draft_;
  std::map<std::tuple<std::string, std::string, std::string>, std::string> keys_;
};

}  // namespace

bool add_canaries(Draft& draft) {
  Canaries canaries(draft);
  bool good = true;
  for (Item& item : draft.items) {
    if (item.planned()) good = canaries.add(item) && good;
  }
  return good;
}

}  // namespace dsbuild::plan
