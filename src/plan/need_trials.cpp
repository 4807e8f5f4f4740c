#include "plan/need_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "plan/extension_words.h"
#include "plan/trials.h"

namespace dsbuild::plan {
namespace {

using manifest::KernelSet;
using manifest::Needs;
using manifest::Op;

bool needs_trials(const Needs& needs) {
  return !needs.headers.empty() || !needs.libraries.empty() || needs.openmp;
}

/// A library that the op links, needed by the op or one of its sets: `host` compiles and links,
/// along with objects of `device`, whose toolchain brings folders of libraries to the link; null:
/// without any.
struct HostPart {
  const Op& op;
  const Choice& host;
  const Choice* device = nullptr;
};

HostPart host_part(const Item& item) {
  const bool fat = item.op->kind == manifest::OpKind::shared_library && !item.accelerator->host;
  return {*item.op, item.host_choice, fat ? &item.choice : nullptr};
}

Trial begin_trial(const std::string& what, const Op& op, const Choice& choice,
                  const std::string& hint) {
  Trial trial;
  trial.what = fmt::format("{} (for {}, with {})", what, op.name, choice.toolchain->id);
  trial.need = what;
  trial.hint = hint;
  return trial;
}

Trial begin_header(const std::string& header, const Op& op, const Choice& choice,
                   const manifest::Accelerator& accelerator) {
  Trial trial =
      begin_trial("header " + header, op, choice,
                  "install what brings " + header + ", or say where it is in \"include\"");
  trial.source_name = "need" + accelerator.suffixes.front();
  trial.source = fmt::format("#include <{}>\n{}", header, accelerator.canary);
  return trial;
}

Trial host_header(const Draft& draft, const HostPart& part, const std::string& header,
                  const PartWords& words) {
  Trial trial = begin_header(header, part.op, part.host, draft.catalog.host());
  trial.steps = object_steps(draft, part.host, words, {}, {trial_source(trial)}, trial_place(""));
  return trial;
}

Trial image_header(const Draft& draft, const Item& item, const std::string& header) {
  Trial trial = begin_header(header, *item.op, item.choice, *item.accelerator);
  trial.steps = image_steps(draft, item, image_words(draft, item), {trial_source(trial)},
                            trial_place("need." + item.entry.form));
  return trial;
}

Trial fat_header(const Draft& draft, const Item& item, const FatSet& fat,
                 const std::string& header) {
  Trial trial = begin_header(header, *item.op, item.choice, *item.accelerator);
  trial.steps =
      object_steps(draft, item.choice, fat_words(draft, *item.op, *fat.set, *item.accelerator),
                   fat.archs, {trial_source(trial)}, trial_place(""));
  return trial;
}

Trial linked(const Draft& draft, const HostPart& part, const PartWords& words, Trial trial) {
  trial.source_name = "need" + draft.catalog.host().suffixes.front();
  trial.steps =
      trial_library(draft, part.host, part.host, part.device, words, {}, trial_source(trial));
  return trial;
}

Trial library_trial(const Draft& draft, const HostPart& part, const manifest::LibraryNeed& need,
                    PartWords words) {
  Trial trial = begin_trial(fmt::format("library {} with {}", need.name, need.symbol), part.op,
                            part.host, "install the development files of lib" + need.name);
  // The symbol's name in assembly, so that no declaration and no builtin is in the way.
  trial.source = fmt::format(
      "extern char symbol[] __asm__(\"{}\");\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) void* need(void) {{ return symbol; "
      "}}\n",
      need.symbol);
  words.libraries = {"-l" + need.name};
  return linked(draft, part, words, std::move(trial));
}

Trial openmp_trial(const Draft& draft, const HostPart& part, PartWords words) {
  Trial trial = begin_trial("OpenMP", part.op, part.host,
                            "install the OpenMP runtime of this compiler (for clang: libomp-dev)");
  trial.source =
      "#include <omp.h>\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) int need(void) {\n"
      "  return omp_get_max_threads();\n"
      "}\n";
  words.flags.push_back("-fopenmp");
  words.link_flags.push_back("-fopenmp");
  return linked(draft, part, words, std::move(trial));
}

/// What became of the needs of one op or set.
struct Outcome {
  std::vector<std::string> keys;
  std::optional<Reason> reason;

  void apply_to(Item& item) const {
    if (!item.planned()) return;
    if (reason) return item.skip(*reason);
    item.entry.trials.insert(item.entry.trials.end(), keys.begin(), keys.end());
  }
};

class NeedTrials {
 public:
  NeedTrials(Draft& draft, const HostPart& part) : draft_(draft), part_(part) {}

  void add(Trial trial) {
    const std::string text = fmt::format("{} needs the {}", part_.op.name, trial.what);
    const std::string hint = trial.hint;
    const KnownTrial known = add_trial(draft_, std::move(trial));
    outcome_.keys.push_back(known.key);
    if (known.failed() && !outcome_.reason) {
      outcome_.reason = Reason{ReasonCode::need_missing, text + ": " + known.message(), hint};
    }
  }
  void add_linked(const Needs& needs) {
    add_linked(needs, host_words(draft_, part_.op, part_.device));
  }
  void add_linked(const Needs& needs, const PartWords& words) {
    for (const auto& library : needs.libraries) add(library_trial(draft_, part_, library, words));
    if (needs.openmp) add(openmp_trial(draft_, part_, words));
  }

  const Outcome& outcome() const { return outcome_; }

 private:
  Draft& draft_;
  const HostPart& part_;
  Outcome outcome_;
};

Outcome try_op(Draft& draft, const HostPart& part) {
  NeedTrials trials(draft, part);
  for (const std::string& header : part.op.needs.headers)
    trials.add(host_header(draft, part, header, host_words(draft, part.op, part.device)));
  trials.add_linked(part.op.needs);
  return trials.outcome();
}

Outcome try_image(Draft& draft, const HostPart& part, const Item& item) {
  NeedTrials trials(draft, part);
  for (const std::string& header : item.set->needs.headers)
    trials.add(image_header(draft, item, header));
  trials.add_linked(item.set->needs);
  return trials.outcome();
}

/// All that an extension needs, tried as its host sources are compiled and its module is linked.
Outcome try_extension(Draft& draft, const HostPart& part, const Item& item) {
  NeedTrials trials(draft, part);
  const auto try_needs = [&](const Needs& needs, const PartWords& words) {
    for (const std::string& header : needs.headers)
      trials.add(host_header(draft, part, header, words));
    trials.add_linked(needs, words);
  };
  try_needs(part.op.needs, extension_host_words(draft, item, *item.parts.front().part));
  for (const PartBuild& build : item.parts)
    try_needs(build.part->needs, extension_host_words(draft, item, *build.part));
  return trials.outcome();
}

Outcome try_fat_set(Draft& draft, const HostPart& part, const Item& item, const FatSet& fat) {
  NeedTrials trials(draft, part);
  for (const std::string& header : fat.set->needs.headers)
    trials.add(fat_header(draft, item, fat, header));
  trials.add_linked(fat.set->needs);
  return trials.outcome();
}

/// Each of its items is a library of its own.
void try_shared_libraries(Draft& draft, const std::vector<Item*>& items) {
  for (Item* item : items) {
    const HostPart part = host_part(*item);
    try_op(draft, part).apply_to(*item);
    for (const FatSet& fat : item->fat_sets) {
      if (item->planned() && needs_trials(fat.set->needs))
        try_fat_set(draft, part, *item, fat).apply_to(*item);
    }
  }
}

/// The op's host library and its images.
void try_library(Draft& draft, const std::vector<Item*>& items, const Choice& host) {
  const HostPart part{*items.front()->op, host};
  const Outcome of_op = try_op(draft, part);
  for (Item* item : items) of_op.apply_to(*item);

  // Images of one set differ in their arch only: one of them speaks for all.
  std::map<std::tuple<const KernelSet*, std::string, std::string, std::string>, Outcome> of_images;
  for (Item* item : items) {
    const KernelSet* set = item->set;
    if (!item->planned() || set == nullptr || !needs_trials(set->needs)) continue;
    const auto [at, is_new] = of_images.try_emplace(
        {set, item->entry.accelerator, item->choice.toolchain->id, item->entry.form});
    if (is_new) at->second = try_image(draft, part, *item);
    at->second.apply_to(*item);
  }
}

/// All planned items of one op.
void try_needs_of(Draft& draft, const std::vector<Item*>& items) {
  // Without a library the op is lost, and nobody needs to know what else is missing.
  const auto library = std::find_if(items.begin(), items.end(), [](const Item* item) {
    return static_cast<bool>(item->host_choice);
  });
  if (library == items.end()) return;
  switch ((*library)->op->kind) {
    case manifest::OpKind::python_extension:
      for (Item* item : items) try_extension(draft, host_part(*item), *item).apply_to(*item);
      return;
    case manifest::OpKind::shared_library:
      return try_shared_libraries(draft, items);
    case manifest::OpKind::library:
      return try_library(draft, items, (*library)->host_choice);
  }
}

}  // namespace

void add_need_trials(Draft& draft) {
  std::vector<Item*> items;
  for (std::size_t i = 0; i < draft.items.size(); ++i) {
    Item& item = draft.items[i];
    if (item.planned()) items.push_back(&item);
    const bool last = i + 1 == draft.items.size() || draft.items[i + 1].op != item.op;
    if (!last) continue;
    if (!items.empty()) try_needs_of(draft, items);
    items.clear();
  }
}

}  // namespace dsbuild::plan
