#include "plan/canaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "plan/extension_steps.h"
#include "plan/extension_words.h"
#include "plan/trials.h"

namespace dsbuild::plan {
namespace {

using manifest::Accelerator;

/// What is tried: a toolchain for one form of one accelerator. Host code is tried for each arch,
/// for an assembler may lack what the compiler writes for the higher ones, and a wrapper may append
/// another -march: `arch` then names it. Of devices any arch will do.
struct Subject {
  const Accelerator& accelerator;
  const Choice& choice;
  std::string form;
  std::string arch;

  std::string describe() const {
    return fmt::format("{} for {}{}{}", form, accelerator.name, arch.empty() ? "" : " ", arch);
  }
};

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// None of any manifest, so that what fails is the toolchain. The source is told for which arch it
/// is compiled, "DSBUILD_ARCH_x86_64_v4", so that it can refuse to be other code.
PartWords canary_words(const Subject& subject) {
  PartWords words;
  words.source_root = "{build}";
  if (subject.arch.empty()) return words;
  std::string macro = "DSBUILD_ARCH_" + subject.arch;
  std::replace_if(
      macro.begin(), macro.end(), [](char c) { return !is_alnum(c); }, '_');
  words.defines = {"-D" + macro};
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

Trial begin_canary(const Subject& subject) {
  Trial trial;
  trial.what = fmt::format("canary of {} ({})", subject.choice.toolchain->id, subject.describe());
  trial.source_name = subject.accelerator.canary_name;
  trial.source = subject.accelerator.canary;
  trial.hint = "mend this toolchain or take another one with --toolkit";
  return trial;
}

Trial image_canary(const Draft& draft, const Item& item, const Subject& subject) {
  Trial trial = begin_canary(subject);
  Item canary = item;
  if (subject.arch.empty()) {
    canary.arch =
        canary_arch(draft, subject.accelerator, *subject.choice.toolchain, subject.form, item.arch);
  }
  trial.steps = image_steps(draft, canary, canary_words(subject), {trial_source(trial)},
                            trial_place("canary." + subject.form));
  trial.steps.back().kernels = {subject.accelerator.canary_kernel};
  return trial;
}

Trial library_canary(const Draft& draft, const Item& item, const Subject& subject) {
  const Accelerator& accelerator = subject.accelerator;
  Trial trial = begin_canary(subject);
  std::vector<FatArch> archs;
  const Choice* device = nullptr;
  if (!accelerator.host) {
    device = &subject.choice;
    const std::string& form = accelerator.image_form;
    archs = {{form, canary_arch(draft, accelerator, *device->toolchain, form,
                                fat_archs_of(item).front().arch)}};
  }
  trial.steps = trial_library(draft, subject.choice, item.host_choice, device,
                              canary_words(subject), archs, trial_source(trial));
  if (accelerator.host) {
    trial.steps.back().kernels = {accelerator.canary_kernel};
  } else {
    // Kernels inside a library need not be visible in it: nvcc 13 hides their host stubs.
    trial.steps.back().any_kernel = true;
  }
  return trial;
}

/// That the compiler's code can be linked, the canary of a library tells.
Trial extension_canary(const Draft& draft, const Item& item, const Subject& subject) {
  Trial trial = begin_canary(subject);
  trial.steps =
      trial_object(draft, item, canary_words(subject), trial_source(trial), trial_place(""));
  return trial;
}

Trial make_canary(const Draft& draft, const Item& item, const Subject& subject) {
  if (subject.form == kExtensionForm) return extension_canary(draft, item, subject);
  return subject.form == kLibraryForm ? library_canary(draft, item, subject)
                                      : image_canary(draft, item, subject);
}

Reason failed_canary(const Choice& choice, const Trial& trial, const std::string& message) {
  const std::string who =
      choice.host_compiler == nullptr
          ? describe(*choice.toolchain) + " failed its canary"
          : fmt::format("{} and its host compiler {} do not work together",
                        describe(*choice.toolchain), describe(*choice.host_compiler));
  return {ReasonCode::trial_failed, who + ": " + message, trial.hint};
}

Reason failed_arch(const Subject& subject, const std::string& message) {
  return {ReasonCode::trial_failed,
          fmt::format("{} doesn't make code for {}: {}", describe(*subject.choice.toolchain),
                      subject.arch, message),
          fmt::format("take a compiler and an assembler that do, or leave {} out", subject.arch)};
}

class Canaries {
 public:
  explicit Canaries(Draft& draft) : draft_(draft) {}

  bool add(Item& item) {
    const Accelerator& own = *item.accelerator;
    if (item.set != nullptr)
      return add(item, {own, item.choice, item.entry.form, own.host ? item.arch.name : ""});
    const Accelerator& host = draft_.catalog.host();
    // An extension holds host code for its level; every other library holds some for the baseline.
    const bool extension = item.torch != nullptr;
    bool good = add(item, {host, item.host_choice, kLibraryForm, extension ? "" : draft_.baseline});
    if (extension && compiles_host_code(item))
      good = add(item, {host, item.host_choice, kExtensionForm, item.level.name}) && good;
    if (item.planned() && !own.host && !fat_archs_of(item).empty())
      good = add(item, {own, item.choice, kLibraryForm, ""}) && good;
    return good;
  }

 private:
  struct Known {
    std::string key;
    std::optional<Reason> reason;  ///< why what is for this arch is skipped
  };

  /// The accelerator's own compiler may take all sources.
  static bool compiles_host_code(const Item& item) {
    const manifest::ExtensionRecipe* device = device_recipe(item);
    return device == nullptr || !device->host_sources;
  }

  bool add(Item& item, const Subject& subject) {
    const Accelerator& accelerator = subject.accelerator;
    const std::string& toolchain = subject.choice.toolchain->id;
    if (accelerator.canary.empty()) return true;
    const auto [at, is_new] =
        known_.try_emplace({accelerator.name, toolchain, subject.form, subject.arch});
    Known& known = at->second;
    if (is_new) {
      const Trial trial = make_canary(draft_, item, subject);
      const KnownTrial result = add_trial(draft_, trial);
      known.key = result.key;
      if (result.failed()) {
        // Without the baseline nothing can be built. Of others each is for itself.
        if (subject.arch.empty() || subject.arch == draft_.baseline) {
          draft_.chooser.exclude(accelerator.name, toolchain,
                                 failed_canary(subject.choice, trial, result.message()));
          return false;
        }
        known.reason = failed_arch(subject, result.message());
      }
    }
    if (known.reason) {
      item.skip(*known.reason);
    } else {
      item.entry.trials.push_back(known.key);
    }
    return true;
  }

  Draft& draft_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Known> known_;
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
