#include <algorithm>

#include "base/text.h"
#include "manifest/accelerator.h"
#include "manifest/placeholders.h"
#include "manifest/shapes.h"
#include "manifest/words.h"

namespace dsbuild::manifest {
namespace {

using Strings = std::vector<std::string>;

bool holds(const Strings& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// What every kind of the recipe gives: a template must work with each of them. Nothing when a
/// kind is probed by no one.
std::optional<Strings> placeholders_of_kinds(const Node& kinds,
                                             const std::vector<ToolchainProbe>& probes) {
  std::optional<Strings> common;
  for (const auto& member : kinds.members()) {
    const std::string& kind = member.first;
    const auto probe = std::find_if(probes.begin(), probes.end(),
                                    [&](const ToolchainProbe& p) { return p.kind == kind; });
    if (probe == probes.end()) return std::nullopt;
    if (!common) common = probe->gives;
    std::erase_if(*common, [&](const std::string& name) { return !holds(probe->gives, name); });
  }
  return common;
}

/// All placeholders of a step's words.
Strings placeholders_of_step(const Node& step) {
  Strings used;
  const auto add = [&used](const Node& word) {
    const Strings names = placeholders_of(word.text());
    used.insert(used.end(), names.begin(), names.end());
  };
  for (const Node& word : step.at("argv").items()) {
    add(word);
    for (const Node& inner : word.at("argv").items()) add(inner);
  }
  return used;
}

/// Of a word or a scan that is repeated for archs.
void check_for(const Node& node, const Strings& forms) {
  const Node form = node.at("for");
  if (form.is_text() && !holds(forms, form.text())) {
    form.complain(Rule::form_not_made, {form.text(), did_you_mean(form.text(), forms)});
  }
}

void check_scan(const Node& scan, TemplatePlace place, const TemplateScope& scope,
                const Strings& forms) {
  check_for(scan, forms);
  Strings used;
  for (const Node& word : scan.at("argv").items()) {
    check_template(word, static_cast<TemplatePlace>(place | kForArch), scope);
    for (std::string& name : placeholders_of(word.text())) used.push_back(std::move(name));
  }
  for (const std::string name : {"in", "depfile"}) {
    if (!holds(used, name)) {
      scan.at("argv").complain(Rule::step_without, {name, "add the word \"{" + name + "}\""});
    }
  }
}

void check_step(const Node& step, TemplatePlace place, const TemplateScope& scope,
                const Strings& forms, TemplatePlace out = kOutName) {
  for (const Node& word : step.at("argv").items()) {
    check_template(word, place, scope);
    for (const Node& inner : word.at("argv").items()) check_template(inner, kForArch, scope);
    check_for(word, forms);
  }
  for (const Node& scan : step.at("scans").items()) check_scan(scan, place, scope, forms);
  check_template(step.at("out"), out, scope);
  if (!step.has("argv")) return;
  const Strings used = placeholders_of_step(step);
  for (const std::string name : {"in", "out"}) {
    if (!holds(used, name)) {
      step.at("argv").complain(Rule::step_without, {name, "add the word \"{" + name + "}\""});
    }
  }
  const bool written = holds(used, "depfile");
  const bool said = step.at("depfile").flag();
  if (said && !written) step.at("depfile").complain(Rule::depfile_not_written, {});
  if (!said && written) step.at("argv").complain(Rule::depfile_not_said, {});
  if (!said && step.has("scans")) step.at("scans").complain(Rule::depfile_not_said, {});
}

/// What a step doesn't take of the sources, the next one must.
void check_translation(const Node& step, bool has_next) {
  if (step.has("suffixes") && !(has_next && step.has("each")))
    step.at("suffixes").complain(Rule::translation_without_next, {});
}

void check_kinds(const Node& kinds, const std::vector<ToolchainProbe>& probes) {
  Strings known;
  for (const ToolchainProbe& probe : probes) known.push_back(probe.kind);
  for (const auto& [kind, range] : kinds.members()) {
    if (!holds(known, kind))
      range.complain(Rule::kind_not_probed, {kind, did_you_mean(kind, known)});
  }
}

/// What a toolchain adds to steps of the host's.
void check_flags(const Node& recipe, const TemplateScope& scope) {
  for (const char* list : {"host_flags", "link_flags"}) {
    for (const Node& flag : recipe.at(list).items()) check_template(flag, kLinkFlags, scope);
  }
}

void check_extension_recipe(const Node& node, const TemplateScope& scope, const Strings& forms) {
  const std::vector<Node> objects = node.at("object").items();
  std::size_t after = objects.size();
  for (const Node& step : objects) {
    check_step(step, kExtensionArgv, scope, forms);
    check_translation(step, --after > 0);
  }
  check_step(node.at("header"), kExtensionArgv, scope, forms);
  check_step(node.at("link"), kExtensionLink, scope, forms);
  check_step(node.at("translation"), kExtensionArgv, scope, forms, kTranslationOut);
  check_step(node.at("device_link"), kExtensionArgv, scope, forms);
  for (const auto& [macro, values] : node.at("macros").members())
    check_shape(values, macro, kMacro);
  check_flags(node, scope);
}

/// The copy of its configuration file must lead the compiler to the stand-ins.
void check_subprograms(const Node& node) {
  bool leads = !node.has("lines");
  for (const Node& line : node.at("lines").items())
    leads = leads || line.text().find("{stand_ins}") != std::string::npos;
  if (!leads) node.at("lines").complain(Rule::no_stand_ins, {});
  check_regex(node.at("identifiers"), false);
}

}  // namespace

void check_recipe(const Node& node, const ToolchainRecipe& recipe, const Accelerator& accelerator,
                  const std::vector<ToolchainProbe>& probes) {
  const TemplateScope scope{placeholders_of_kinds(node.at("kinds"), probes),
                            accelerator.archs.scheme != ArchScheme::names, recipe.host_compiler};
  Strings forms;
  for (const auto& [form, steps] : recipe.images) forms.push_back(form);
  // Extensions have device code inside, whether or not images are made as well.
  if (recipe.extension && !holds(forms, accelerator.image_form))
    forms.push_back(accelerator.image_form);
  check_kinds(node.at("kinds"), probes);
  for (const auto& [form, steps] : node.at("images").members()) {
    check_shape(steps, form, kForm);
    std::size_t after = steps.items().size();
    for (const Node& step : steps.items()) {
      check_step(step, kImageArgv, scope, forms);
      check_translation(step, --after > 0);
    }
  }
  for (const auto& [key, place] : {std::pair{"object", kObjectArgv}, {"link", kLinkArgv}}) {
    check_step(node.at(key), place, scope, forms);
    check_translation(node.at(key), false);
  }
  check_extension_recipe(node.at("extension"), scope, forms);
  check_subprograms(node.at("subprograms"));
  for (const Node& part : {node, node.at("extension")}) {
    if (part.has("link") && !accelerator.host)
      part.at("link").complain(Rule::link_without_host, {});
  }
  check_flags(node, scope);
  for (const auto& [form, needs] : node.at("needs").members()) {
    if (!holds(forms, form)) {
      needs.complain(Rule::form_not_made, {form, did_you_mean(form, forms)});
    }
    for (const auto& [what, text] : needs.members()) check_template(text, kNeed, scope);
  }
}

}  // namespace dsbuild::manifest
