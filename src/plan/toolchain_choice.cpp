#include "plan/toolchain_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "manifest/arch_name.h"
#include "plan/torch_match.h"

namespace dsbuild::plan {
namespace {

using manifest::Accelerator;
using manifest::ToolchainRecipe;
using probe::Toolchain;
using probe::ToolchainState;

/// Why a toolchain can't be used, as its prober said: that names the path and, for one that was
/// demanded, the variable.
std::string trouble(const Toolchain& toolchain) {
  if (toolchain.state == ToolchainState::absent && !toolchain.version.reason.empty())
    return toolchain.version.reason;
  return describe(toolchain) + " is not complete; missing: " + join(toolchain.missing, ", ");
}

/// How much the user wants this one: not at all, by a variable, by the flag.
int demand_of(const Toolchain& toolchain) {
  if (!toolchain.demanded) return 0;
  return toolchain.origin == probe::kToolkitFlag ? 2 : 1;
}

std::string demanded_by(const Toolchain& toolchain) {
  return " (demanded by " + toolchain.origin + ")";
}

bool has_recipe_for(const ToolchainRecipe& recipe, const Want& want) {
  // Only a recipe that makes objects lets its compiler find the vendor's headers; the others
  // compile freestanding sources.
  if (want.vendor_headers && !recipe.object) return false;
  if (want.form == kObjectForm) return recipe.object && (recipe.link || !want.accelerator->host);
  if (want.form == kExtensionForm)
    return recipe.extension && (recipe.extension->link || !want.accelerator->host);
  return recipe.images.contains(want.form);
}

std::string limits_text(const std::map<std::string, VersionRange>& limits) {
  std::vector<std::string> parts;
  for (const auto& [kind, range] : limits) parts.push_back(kind + " " + range.text());
  return join(parts, " or ");
}

bool within(const std::map<std::string, VersionRange>& limits, const Toolchain& compiler) {
  if (limits.empty()) return true;  // the toolchain says nothing of limits
  const auto range = limits.find(compiler.kind);
  return range != limits.end() && compiler.version && range->second.contains(*compiler.version);
}

/// A demanded toolchain is not replaced by installing another one.
std::string way_out(const Toolchain& toolchain, const std::string& hint) {
  return toolchain.demanded ? "correct " + toolchain.origin + " or leave it unset" : hint;
}

/// How many archs a message names; a compiler may know fifty.
constexpr std::ptrdiff_t kNearArchs = 3;

/// Where the arch lies: before, after or among those that the toolchain offers.
Reason unknown_arch(const Accelerator& accelerator, const Toolchain& toolchain,
                    const std::string& arch) {
  const auto wanted = manifest::parse_arch_name(accelerator, arch, {});
  std::vector<std::string> near;  // of the same major number, the next smaller ones
  bool older = false;
  bool newer = false;
  for (const std::string& name : toolchain.archs) {
    const auto offered = manifest::parse_arch_name(accelerator, name, {});
    if (!wanted || !offered) continue;
    older = older || offered->number < wanted->number;
    newer = newer || offered->number > wanted->number;
    if (offered->number.front() == wanted->number.front() && offered->number < wanted->number)
      near.push_back(name);
  }
  if (near.size() > std::size_t{kNearArchs}) near.erase(near.begin(), near.end() - kNearArchs);
  std::string text = fmt::format("{} doesn't compile for {}", describe(toolchain), arch);
  std::string hint = "take another toolchain";
  if (newer && !older) {
    text += ", its archs begin at " + toolchain.archs.front();
    hint = "take an older toolchain";
  } else if (older && !newer) {
    text += ", its archs end at " + toolchain.archs.back();
    hint = "take a newer toolchain";
  } else if (!near.empty()) {
    text += ", but for " + join(near, ", ");
  }
  hint += ", or leave the arch out";
  if (toolchain.demanded) hint += "; " + toolchain.origin + " keeps others from being taken";
  return {ReasonCode::arch_unknown_to_toolchain, text, hint};
}

}  // namespace

const Choice& choose_usual(const Accelerator& accelerator, ToolchainChooser& chooser) {
  const auto any = [&](const auto& has) {
    return std::any_of(accelerator.toolchains.begin(), accelerator.toolchains.end(), has);
  };
  const bool images = any([&](const ToolchainRecipe& recipe) {
    return recipe.images.contains(accelerator.image_form);
  });
  const bool extensions =
      any([](const ToolchainRecipe& recipe) { return recipe.extension.has_value(); });
  const Choice& image = chooser.choose({&accelerator, accelerator.image_form});
  if (image || !extensions) return image;
  const Choice& extension = chooser.choose({&accelerator, kExtensionForm});
  return extension || !images ? extension : image;
}

std::string describe(const Toolchain& toolchain) {
  return toolchain.path.empty() ? toolchain.id : toolchain.id + " at " + toolchain.path;
}

bool offers(const Toolchain& toolchain, const std::string& arch) {
  const auto has = [&toolchain](const std::string& name) {
    return std::find(toolchain.archs.begin(), toolchain.archs.end(), name) != toolchain.archs.end();
  };
  // Compilers list processors; their features ("gfx90a:xnack-") follow from them.
  return toolchain.all_archs || has(arch) || has(arch.substr(0, arch.find(':')));
}

ToolchainChooser::ToolchainChooser(const manifest::Catalog& catalog, const probe::Machine& machine)
    : catalog_(catalog), machine_(machine) {}

const Choice& ToolchainChooser::choose(const Want& want) {
  std::string versions;
  for (const VersionRange* range : want.versions) {
    if (range != nullptr) versions += range->text() + ";";
  }
  if (want.torch != nullptr) versions += want.torch->id + (want.any_release ? ";any" : ";same");
  Key key{want.accelerator->name, want.form, want.arch, want.vendor_headers, versions};
  const auto known = choices_.find(key);
  if (known != choices_.end()) return known->second;
  Choice choice = make_choice(want);
  return choices_.emplace(std::move(key), std::move(choice)).first->second;
}

void ToolchainChooser::exclude(const std::string& accelerator, const std::string& toolchain,
                               Reason reason) {
  excluded_.emplace(std::pair(accelerator, toolchain), std::move(reason));
  choices_.clear();
  notes_.clear();
}

std::vector<std::string> ToolchainChooser::notes() const {
  std::vector<std::string> notes;
  for (const auto& [about, note] : notes_) notes.push_back(note);
  return notes;
}

const std::vector<ToolchainChooser::Candidate>& ToolchainChooser::candidates(
    const Accelerator& accelerator) {
  const auto [at, is_new] = candidates_.try_emplace(accelerator.name);
  if (!is_new) return at->second;

  std::vector<std::string> kinds;  // in the order in which descriptors probe them
  const auto add_kinds = [&kinds](const Accelerator& from) {
    for (const manifest::ToolchainProbe& probe : from.probes) kinds.push_back(probe.kind);
  };
  add_kinds(accelerator);
  add_kinds(catalog_.host());
  for (const auto& [name, other] : catalog_.accelerators) add_kinds(other);

  std::vector<Candidate>& list = at->second;
  for (const ToolchainRecipe& recipe : accelerator.toolchains) {
    for (auto kind = kinds.begin(); kind != kinds.end(); ++kind) {
      if (!recipe.kinds.contains(*kind) || std::find(kinds.begin(), kind, *kind) != kind) continue;
      for (const Toolchain& toolchain : machine_.toolchains) {
        if (toolchain.kind == *kind) list.push_back({&toolchain, &recipe});
      }
    }
  }
  return list;
}

Choice ToolchainChooser::make_choice(const Want& want) {
  const std::vector<Candidate> all = sort_for(want);
  int demand = 0;  // the strongest for which there is a recipe; any, when for none there is
  bool demanded = false;
  for (const Candidate& candidate : all) {
    demanded = demanded || candidate.toolchain->demanded;
    if (has_recipe_for(*candidate.recipe, want))
      demand = std::max(demand, demand_of(*candidate.toolchain));
  }
  if (demanded && demand == 0) return {nullptr, nullptr, nullptr, barred(want, all), true};
  Choice miss;
  const Candidate* passed_over = nullptr;
  for (const Candidate& candidate : all) {
    const bool counts =
        demand_of(*candidate.toolchain) == demand && has_recipe_for(*candidate.recipe, want);
    if (!counts) continue;
    const Toolchain* host_compiler = nullptr;
    std::optional<Reason> reason = find_miss(want, candidate, host_compiler);
    if (!reason) {
      if (passed_over != nullptr) note_fallback(*want.accelerator, *passed_over, candidate);
      if (want.torch != nullptr) note_torch(want, *candidate.toolchain);
      return {candidate.toolchain, candidate.recipe, host_compiler, std::nullopt, false};
    }
    if (reason->code == ReasonCode::trial_failed) passed_over = &candidate;
    // The codes are in the order in which the checks are made: the furthest miss says most.
    if (!miss.reason || reason->code > miss.reason->code) {
      miss.reason = std::move(reason);
      miss.demanded = demanded;
    }
  }
  if (!miss.reason || (miss.reason->code == ReasonCode::toolchain_absent && !demanded)) {
    miss.reason = absent(want);
  }
  return miss;
}

/// In their order; for a torch those first that suit it best.
std::vector<ToolchainChooser::Candidate> ToolchainChooser::sort_for(const Want& want) {
  std::vector<Candidate> all = candidates(*want.accelerator);
  if (want.torch == nullptr) return all;
  const auto built_with = find_built_with(*want.torch, *want.accelerator);
  if (!built_with) return all;
  std::stable_sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
    return suits_better(*a.toolchain, *b.toolchain, *built_with);
  });
  return all;
}

void ToolchainChooser::note_torch(const Want& want, const Toolchain& toolchain) {
  TorchMatch match =
      match_torch(*want.torch, *want.accelerator, toolchain, machine_, want.any_release);
  if (!match.note.empty())
    notes_[want.accelerator->name + " " + want.torch->id] = std::move(match.note);
}

/// The demanded toolchain has no recipe for what is wanted.
Reason ToolchainChooser::barred(const Want& want, const std::vector<Candidate>& all) const {
  const Toolchain& toolchain = *std::find_if(all.begin(), all.end(), [](const Candidate& c) {
                                  return c.toolchain->demanded;
                                })->toolchain;
  return {ReasonCode::toolchain_absent,
          fmt::format("{} was demanded by {}, and it {}", describe(toolchain), toolchain.origin,
                      want.vendor_headers ? "compiles only sources without a vendor's headers"
                                          : "makes no files of the form " + want.form),
          "leave " + toolchain.origin + " unset"};
}

void ToolchainChooser::note_fallback(const Accelerator& accelerator, const Candidate& from,
                                     const Candidate& to) {
  notes_[accelerator.name] =
      fmt::format("{}: {} is used instead, because {}", accelerator.name, describe(*to.toolchain),
                  excluded_.at({accelerator.name, from.toolchain->id}).text);
}

Reason ToolchainChooser::unusable(const Toolchain& toolchain, const std::string& hint) const {
  const bool absent = toolchain.state == ToolchainState::absent;
  std::vector<std::string> others;
  for (const Toolchain& other : machine_.toolchains) {
    const bool counts = other.kind == toolchain.kind && &other != &toolchain &&
                        other.state == ToolchainState::complete;
    if (counts) others.push_back(describe(other));
  }
  return {absent ? ReasonCode::toolchain_absent : ReasonCode::toolchain_partial,
          trouble(toolchain) + (toolchain.demanded && !absent ? demanded_by(toolchain) : ""),
          way_out(toolchain, hint) + (others.empty() ? "" : "; also found: " + join(others, ", "))};
}

std::optional<Reason> ToolchainChooser::find_miss(const Want& want, const Candidate& candidate,
                                                  const Toolchain*& host_compiler) {
  const Toolchain& toolchain = *candidate.toolchain;
  const ToolchainRecipe& recipe = *candidate.recipe;
  if (toolchain.state != ToolchainState::complete) return unusable(toolchain, recipe.hint);
  const VersionRange& range = recipe.kinds.at(toolchain.kind);
  if (!toolchain.version) {
    return Reason{ReasonCode::toolchain_version,
                  describe(toolchain) + ": " + toolchain.version.reason,
                  way_out(toolchain, recipe.hint)};
  }
  if (!range.contains(*toolchain.version)) {
    return Reason{ReasonCode::toolchain_version,
                  fmt::format("{} is not {}", describe(toolchain), range.text()),
                  way_out(toolchain, recipe.hint)};
  }
  if (recipe.host_compiler) {
    if (auto reason = find_host_compiler(toolchain, host_compiler)) return reason;
  }
  if (!want.arch.empty() && !offers(toolchain, want.arch)) {
    return unknown_arch(*want.accelerator, toolchain, want.arch);
  }
  const auto excluded = excluded_.find({want.accelerator->name, toolchain.id});
  if (excluded != excluded_.end()) return excluded->second;
  for (const VersionRange* needed : want.versions) {
    if (needed == nullptr || needed->contains(*toolchain.version)) continue;
    return Reason{ReasonCode::need_version,
                  fmt::format("a toolchain for {} of version {} is needed, {} is not",
                              want.accelerator->name, needed->text(), describe(toolchain)),
                  way_out(toolchain, recipe.hint)};
  }
  if (want.torch == nullptr) return std::nullopt;
  return match_torch(*want.torch, *want.accelerator, toolchain, machine_, want.any_release).reason;
}

std::optional<Reason> ToolchainChooser::find_host_compiler(const Toolchain& toolchain,
                                                           const Toolchain*& host_compiler) {
  const Accelerator& host = catalog_.host();
  const Choice usual = choose({&host, kObjectForm});
  if (usual && within(toolchain.host_limits, *usual.toolchain)) {
    host_compiler = usual.toolchain;
    return std::nullopt;
  }
  std::vector<std::string> seen;
  for (const Candidate& candidate : candidates(host)) {
    const Toolchain& compiler = *candidate.toolchain;
    const bool usable = compiler.state == ToolchainState::complete && compiler.version &&
                        candidate.recipe->kinds.at(compiler.kind).contains(*compiler.version) &&
                        !excluded_.contains({host.name, compiler.id});
    if (!usable) continue;
    seen.push_back(describe(compiler));
    const bool better = within(toolchain.host_limits, compiler) &&
                        (host_compiler == nullptr || *compiler.version > *host_compiler->version);
    if (better) host_compiler = &compiler;
  }
  const std::string limits = limits_text(toolchain.host_limits);
  if (host_compiler == nullptr) {
    return Reason{
        ReasonCode::host_compiler,
        fmt::format("{} needs a host compiler{}; found: {}", describe(toolchain),
                    limits.empty() ? "" : ", " + limits, seen.empty() ? "none" : join(seen, ", ")),
        "install a host compiler" + (limits.empty() ? "" : ": " + limits)};
  }
  notes_[toolchain.id] =
      fmt::format("{} takes {} as its host compiler, so it is given {}{}", toolchain.id, limits,
                  describe(*host_compiler), usual ? ", not " + describe(*usual.toolchain) : "");
  return std::nullopt;
}

Reason ToolchainChooser::absent(const Want& want) const {
  const Accelerator& accelerator = *want.accelerator;
  std::vector<std::string> hints;
  std::vector<std::string> looked;
  for (const ToolchainRecipe& recipe : accelerator.toolchains) {
    if (!has_recipe_for(recipe, want)) continue;
    if (std::find(hints.begin(), hints.end(), recipe.hint) == hints.end())
      hints.push_back(recipe.hint);
    for (const Toolchain& toolchain : machine_.toolchains) {
      const bool says_where = toolchain.state == ToolchainState::absent &&
                              recipe.kinds.contains(toolchain.kind) &&
                              !toolchain.version.reason.empty();
      if (says_where) looked.push_back(toolchain.kind + ": " + toolchain.version.reason);
    }
  }
  std::string text = "no toolchain for " + accelerator.name;
  if (hints.empty()) {
    text += want.vendor_headers ? " compiles sources that use a vendor's headers"
                                : " makes files of the form " + want.form;
  } else {
    text += " is on this machine";
  }
  if (!looked.empty()) text += " (" + join(looked, "; ") + ")";
  return {ReasonCode::toolchain_absent, text, join(hints, "; or ")};
}

}  // namespace dsbuild::plan
