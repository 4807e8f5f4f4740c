#include "plan/steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "plan/compile_words.h"
#include "plan/extension_steps.h"
#include "plan/extension_words.h"

namespace dsbuild::plan {
namespace {

using manifest::Accelerator;
using manifest::KernelSet;
using manifest::Op;

/// What every host library of kind `library` exports (src/runtime/include/dsops/dsops.h).
constexpr const char* kLibrarySymbol = "dsops_library_v1";
/// How an image for this host's CPU says what it needs of it.
constexpr const char* kFeaturesMacro = "DSOPS_IMAGE_FEATURES";

std::string root_of(const Draft& draft, const Op& op) {
  const std::string root = draft.paths.name(op.root);
  return root.starts_with('{') ? root : draft.paths.name(op.folder);
}

PartWords part_words(const Draft& draft, const Op& op, const OptionLayers& layers,
                     const std::string& tool, bool common,
                     const std::map<std::string, std::string>& instance) {
  PartWords words;
  words.defines = define_words(layers, instance);
  words.includes = include_words(layers, op, draft.catalog, draft.paths, common);
  words.flags = flag_words(layers, tool);
  words.link_flags = flag_words(layers, kLinkTool);
  for (const std::string& library : op.libraries) words.libraries.push_back("-l" + library);
  words.source_root = root_of(draft, op);
  const auto standard = draft.standards.find(op.name);
  if (standard != draft.standards.end()) words.standard = standard->second;
  return words;
}

/// What a device's toolchain asks of steps of the host's.
void add_words_of(const Choice& device, const std::vector<std::string>& templates,
                  const std::string& source_root, std::vector<std::string>& words) {
  Values values = make_toolchain_values(device);
  values.set("src", source_root);
  for (std::string& word : expand_words(templates, values)) words.push_back(std::move(word));
}

void set_arch(Values& values, const manifest::ArchName& arch) {
  values.set("arch", arch.name);
  values.set("number", manifest::arch_number_text(arch));
}

/// The macro that tells what an image for this very CPU needs of it.
std::vector<std::string> feature_words(const Draft& draft, const Item& item) {
  if (!item.is_native() || !draft.machine.cpu.features) return {};
  return {fmt::format("-D{}=\"{}\"", kFeaturesMacro, join(*draft.machine.cpu.features, " "))};
}

StepGroup make_group(const Draft& draft, const Choice& choice, const PartWords& words,
                     const StepPlace& place, const Values& values) {
  StepGroup group;
  group.choice = &choice;
  group.user = &draft.request.environment;
  group.folder = place.folder;
  group.about = place.about;
  group.label = place.label;
  group.standard = words.standard;
  group.exports = words.exports;
  group.values = &values;
  return group;
}

std::vector<std::string> source_names(const Draft& draft,
                                      const std::vector<std::filesystem::path>& sources) {
  std::vector<std::string> names;
  for (const auto& source : sources) names.push_back(draft.paths.name(source));
  return names;
}

void append(std::vector<Step>& steps, std::vector<Step> more) {
  std::move(more.begin(), more.end(), std::back_inserter(steps));
}

/// "transformer sm_90 HEAD_DIM-64"; other forms of the arch have a folder of their own.
StepPlace place_of(const Item& item) {
  const Entry& entry = item.entry;
  StepPlace place;
  place.op = entry.op;
  place.label = entry.form;
  place.about = entry.op;
  for (const std::string* part : {&entry.arch, &entry.variant}) {
    if (!part->empty()) place.about += " " + *part;
  }
  std::string folder = replace_all(entry.arch, ":", ".");
  if (!entry.variant.empty()) folder += "." + entry.variant;
  const bool usual = entry.form == item.accelerator->image_form;
  if (folder.empty()) {
    folder = entry.form;
  } else if (!usual) {
    folder += "." + entry.form;
  }
  place.folder = fmt::format("{}obj/{}/{}/{}", kBuildFolder, entry.op, entry.accelerator, folder);
  place.artifact = kBuildFolder + entry.artifact;
  return place;
}

std::vector<Step> make_image_steps(const Draft& draft, const Item& item) {
  std::vector<Step> steps = image_steps(draft, item, image_words(draft, item),
                                        source_names(draft, item.set->sources), place_of(item));
  steps.back().kernels = item.set->exports;
  steps.back().any_kernel = item.set->exports.empty();
  return steps;
}

std::vector<Step> make_library_steps(const Draft& draft, const Item& item) {
  const Op& op = *item.op;
  StepPlace place = place_of(item);
  const std::string artifact = std::move(place.artifact);
  place.artifact.clear();
  const Choice* device = item.accelerator->host ? nullptr : &item.choice;
  PartWords words = host_words(draft, op, device);
  const bool of_library_op = item.entry.is_host_library() && op.kind == manifest::OpKind::library;
  words.exports = of_library_op ? std::vector<std::string>{kLibrarySymbol} : op.exports;
  std::vector<Step> steps =
      object_steps(draft, item.host_choice, words, {}, source_names(draft, op.host_sources), place);
  for (const FatSet& fat : item.fat_sets) {
    append(steps,
           object_steps(draft, item.choice, fat_words(draft, op, *fat.set, *item.accelerator),
                        fat.archs, source_names(draft, fat.set->sources), place));
  }
  place.artifact = artifact;
  append(steps, link_steps(draft, item.host_choice, device, words, outputs_of(steps), place));
  steps.back().kernels = words.exports;
  return steps;
}

/// What keeps both bounds, as ">=13.0" does ">=12.8"; of other texts the later one.
std::string stricter(const std::string& one, const std::string& other) {
  const auto bound = [](const std::string& text) {
    constexpr std::string_view kAtLeast = ">=";
    return text.starts_with(kAtLeast) ? Version::parse(text.substr(kAtLeast.size())) : std::nullopt;
  };
  const auto first = bound(one);
  const auto second = bound(other);
  return first && second && *first > *second ? one : other;
}

/// Adds to what is known already: of several archs in one file each must load.
void add_load_needs(const Choice& choice, const std::string& form, const manifest::ArchName& arch,
                    std::map<std::string, std::string>& needs) {
  const auto recipe = choice.recipe->needs.find(form);
  if (recipe == choice.recipe->needs.end()) return;
  const Values toolchain = make_toolchain_values(choice);
  Values values(&toolchain);
  set_arch(values, arch);
  for (const auto& [name, text] : recipe->second) {
    std::string need = expand_text(text, values);
    std::string& all = needs[name];
    all = stricter(all, need);
  }
}

}  // namespace

PartWords image_words(const Draft& draft, const Item& item) {
  return part_words(draft, *item.op, {&item.op->options, &item.set->options},
                    item.accelerator->flags, item.set->freestanding, item.instance);
}

Values make_values(const Draft& draft, const Values& toolchain, const PartWords& words,
                   const std::string& op) {
  Values values(&toolchain);
  values.set("op", op);
  values.set("machine", draft.scope.machine);
  values.set("baseline", draft.baseline);
  values.set("src", words.source_root);
  values.set_list("defines", words.defines);
  values.set_list("includes", words.includes);
  values.set_list("flags", words.flags);
  values.set_list("link_flags", words.link_flags);
  values.set_list("libraries", words.libraries);
  return values;
}

PartWords host_words(const Draft& draft, const Op& op, const Choice* device) {
  PartWords words =
      part_words(draft, op, {&op.options, &op.host_options}, draft.catalog.host().flags, true, {});
  if (device != nullptr)
    add_words_of(*device, device->recipe->host_flags, words.source_root, words.flags);
  return words;
}

PartWords fat_words(const Draft& draft, const Op& op, const KernelSet& set,
                    const Accelerator& accelerator) {
  return part_words(draft, op, {&op.options, &set.options}, accelerator.flags, true, {});
}

std::vector<Step> image_steps(const Draft& draft, const Item& item, const PartWords& words,
                              const std::vector<std::string>& sources, const StepPlace& place) {
  const Values toolchain = make_toolchain_values(item.choice);
  Values values = make_values(draft, toolchain, words, place.op);
  set_arch(values, item.arch);
  const std::vector<std::string> features = feature_words(draft, item);
  values.set_list("features", features);
  return make_steps(item.choice.recipe->images.at(item.entry.form), sources, place.artifact,
                    make_group(draft, item.choice, words, place, values));
}

std::vector<Step> object_steps(const Draft& draft, const Choice& choice, const PartWords& words,
                               const std::vector<FatArch>& archs,
                               const std::vector<std::string>& sources, const StepPlace& place) {
  const Values toolchain = make_toolchain_values(choice);
  const Values values = make_values(draft, toolchain, words, place.op);
  StepGroup group = make_group(draft, choice, words, place, values);
  group.archs = archs;
  return make_steps({*choice.recipe->object}, sources, place.artifact, group);
}

std::vector<Step> link_steps(const Draft& draft, const Choice& host, const Choice* device,
                             const PartWords& words, const std::vector<std::string>& objects,
                             const StepPlace& place) {
  PartWords all = words;
  if (device != nullptr)
    add_words_of(*device, device->recipe->link_flags, words.source_root, all.link_flags);
  const Values toolchain = make_toolchain_values(host);
  const Values values = make_values(draft, toolchain, all, place.op);
  return make_steps({*host.recipe->link}, objects, place.artifact,
                    make_group(draft, host, all, place, values));
}

std::vector<Step> make_item_steps(const Draft& draft, const Item& item) {
  if (!item.parts.empty()) return make_extension_steps(draft, item);
  return item.set != nullptr ? make_image_steps(draft, item) : make_library_steps(draft, item);
}

std::map<std::string, std::string> find_load_needs(const Draft& draft, const Item& item) {
  std::map<std::string, std::string> needs;
  if (item.set != nullptr) {
    add_load_needs(item.choice, item.entry.form, item.arch, needs);
    return needs;
  }
  // A library is host code for the baseline, and the device code inside.
  manifest::ArchName baseline;
  baseline.name = draft.baseline;
  if (item.torch != nullptr) {
    baseline = item.level;
    add_torch_needs(item, needs);
    const auto& tree = draft.catalog.tree;
    if (tree && tree->version) needs[tree->name] = "==" + tree->version->number();
  }
  add_load_needs(item.host_choice, draft.catalog.host().image_form, baseline, needs);
  for (const FatArch& arch : fat_archs_of(item))
    add_load_needs(item.choice, arch.form, arch.arch, needs);
  return needs;
}

}  // namespace dsbuild::plan
