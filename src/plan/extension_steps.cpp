#include "plan/extension_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "plan/compile_words.h"
#include "plan/extension_items.h"
#include "plan/extension_words.h"
#include "plan/folder_words.h"
#include "plan/recipes.h"
#include "plan/source_units.h"
#include "plan/translation.h"

namespace dsbuild::plan {
namespace {

using manifest::Accelerator;
using manifest::ExtensionPart;
using manifest::Op;

constexpr std::size_t kFolderDigits = 12;
/// Stands for the folder of a step's files until their hash is known.
constexpr const char* kUnsettled = "obj/extension/@";
constexpr const char* kUnsettledFolder = "{build}/obj/extension/@";

/// `torch`: what it asks of the step.
Values make_values(const Draft& draft, const Item& item, const Values& toolchain,
                   const PartWords& words, const TorchWords& torch) {
  Values values = make_values(draft, toolchain, words, item.op->name);
  values.set("level", item.level.name);
  values.set_list("torch_defines", torch.defines);
  values.set_list("torch_includes", torch.includes);
  values.set_list("torch_libraries", torch.libraries);
  values.set("torch_lib", item.torch->lib);
  return values;
}

class ExtensionSteps {
 public:
  ExtensionSteps(const Draft& draft, const Item& item)
      : draft_(draft), item_(item), host_(draft.catalog.host()), torch_(item, host_) {}

  std::vector<Step> make() {
    for (const PartBuild& build : item_.parts) add_objects(build);
    add_device_link();
    add_link();
    return std::move(steps_);
  }

 private:
  Values values_of(const Values& toolchain, const PartWords& words) const {
    return make_values(draft_, item_, toolchain, words, torch_);
  }

  StepGroup group_of(const Choice& choice, const PartWords& words, const std::string& folder,
                     const Values& values) const {
    StepGroup group;
    group.choice = &choice;
    group.user = &draft_.request.environment;
    group.folder = folder;
    group.about = "for " + item_.torch->id;
    group.standard = words.standard;
    group.values = &values;
    return group;
  }

  bool is_for_device(const std::filesystem::path& source) const {
    const manifest::ExtensionRecipe* recipe = device_recipe(item_);
    return is_device_source(item_, host_, source) || (recipe != nullptr && recipe->host_sources);
  }

  void add_objects(const PartBuild& build) {
    const auto compiler = [this](const std::filesystem::path& source) {
      return is_for_device(source) ? item_.accelerator->name : host_.name;
    };
    for (const SourceUnit& unit : source_units(*build.part, draft_.request.unity, compiler))
      add_object(build, unit);
  }

  void add_object(const PartBuild& build, const SourceUnit& unit) {
    const ExtensionPart& part = *build.part;
    const bool device = is_for_device(unit.sources.front());
    const Choice& choice = device ? item_.choice : item_.host_choice;
    PartWords words = extension_words(
        draft_, item_, part, device ? item_.accelerator->flags : host_.flags, unit.binding);
    if (!device) {
      for (std::string& word : device_words(item_, &manifest::ExtensionRecipe::host_flags))
        words.flags.push_back(std::move(word));
    }
    std::vector<std::string> inputs;
    std::vector<std::string> headers;
    bool may_precompile = !device && host_recipe().header;
    std::uint64_t size = 0;
    for (const auto& source : unit.sources) {
      inputs.push_back(add_input(part, source, words, headers));
      may_precompile = may_precompile && part.torch_sources.contains(source);
      if (const auto known = part.sizes.find(source); known != part.sizes.end())
        size += known->second;
    }
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      words.flags.push_back("-include");
      words.flags.push_back(inputs[i]);
    }
    const Values toolchain = make_toolchain_values(choice);
    Values values = values_of(toolchain, words);
    if (!may_precompile) values.set_list("torch_header", none_);
    StepGroup group = group_of(choice, words, kUnsettledFolder, values);
    if (device) group.archs = build.archs;
    if (inputs.size() > 1)
      group.about = fmt::format("of {} sources {}", inputs.size(), group.about);
    std::vector<Step> steps =
        make_steps(choice.recipe->extension->object, {inputs.front()}, "", group);
    settle(steps);
    Step& step = steps.back();
    step.sources = inputs.size();
    // They must be there before it is compiled; its depfile tells of all others.
    step.inputs.insert(step.inputs.end(), inputs.begin() + 1, inputs.end());
    step.inputs.insert(step.inputs.end(), headers.begin(), headers.end());
    if (may_precompile) step.header = header_of(words);
    step.weight = size * (1 + group.archs.size());
    objects_.push_back(step.outputs.front());
    if (device) device_objects_.push_back(objects_.back());
    std::move(steps.begin(), steps.end(), std::back_inserter(steps_));
  }

  /// What the compiler is given for the source: itself, or its translation, with whose headers come
  /// first and are told.
  std::string add_input(const ExtensionPart& part, const std::filesystem::path& source,
                        PartWords& words, std::vector<std::string>& headers) {
    if (device_recipe(item_) == nullptr || !is_translated(item_, source))
      return draft_.paths.name(source);
    Translation made = add_translation(part, source, words);
    put_translations_first(made.folder, words);
    std::move(made.headers.begin(), made.headers.end(), std::back_inserter(headers));
    return std::move(made.source);
  }

  /// Each file's step once.
  Translation add_translation(const ExtensionPart& part, const std::filesystem::path& source,
                              const PartWords& words) {
    const Values toolchain = make_toolchain_values(item_.choice);
    const Values values = values_of(toolchain, words);
    Translation made =
        translate(draft_, item_, part, source, group_of(item_.choice, words, "", values));
    for (Step& step : made.steps) {
      if (translated_.insert(step.id).second) steps_.push_back(std::move(step));
    }
    return made;
  }

  /// The device code of several objects may have to become one.
  void add_device_link() {
    const manifest::ExtensionRecipe* recipe = device_recipe(item_);
    if (recipe == nullptr || !recipe->device_link || device_objects_.empty()) return;
    const PartWords words =
        extension_words(draft_, item_, *item_.parts.front().part, item_.accelerator->flags, false);
    const Values toolchain = make_toolchain_values(item_.choice);
    const Values values = values_of(toolchain, words);
    StepGroup group = group_of(item_.choice, words, module_folder(), values);
    group.archs = fat_archs_of(item_);
    group.about = module_about();
    std::vector<Step> steps = make_steps({*recipe->device_link}, device_objects_, "", group);
    objects_.push_back(steps.back().outputs.front());
    steps_.push_back(std::move(steps.back()));
  }

  std::string module_folder() const {
    return fmt::format("{}obj/{}/{}/extension{}{}", kBuildFolder, item_.op->name,
                       item_.accelerator->name, item_.entry.variant.empty() ? "" : "/",
                       item_.entry.variant);
  }

  std::string module_about() const {
    return item_.op->name + (item_.entry.variant.empty() ? "" : " " + item_.entry.variant);
  }

  const manifest::ExtensionRecipe& host_recipe() const {
    return *item_.host_choice.recipe->extension;
  }

  /// Their files go into a folder that tells what makes them, so that ops share them.
  static void settle(std::vector<Step>& steps) {
    Hasher hasher;
    for (const Step& step : steps)
      hasher.field("step", step_hash(step)).field("in", join(step.inputs, " "));
    const std::string folder = "obj/extension/" + hasher.hex().substr(0, kFolderDigits);
    const auto name = [&folder](std::string& text) {
      text = replace_all(std::move(text), kUnsettled, folder);
    };
    for (Step& step : steps) {
      name(step.id);
      name(step.depfile);
      for (auto* list : {&step.argv, &step.inputs, &step.outputs}) {
        for (std::string& text : *list) name(text);
      }
      for (Scan& scan : step.scans) {
        name(scan.depfile);
        for (std::string& text : scan.argv) name(text);
      }
      std::map<std::string, std::string> files;
      for (const auto& [path, text] : step.files)
        files.emplace(replace_all(path, kUnsettled, folder), text);
      step.files = std::move(files);
    }
  }

  /// How the header is precompiled for a compile with these words. Warnings, macros and folders of
  /// the op make no other one.
  std::shared_ptr<const Step> header_of(const PartWords& words) const {
    PartWords own = words;
    own.defines.clear();
    own.includes.clear();
    std::erase_if(own.flags, [](const std::string& flag) { return flag.starts_with("-W"); });
    const Values toolchain = make_toolchain_values(item_.host_choice);
    const Values values = values_of(toolchain, own);
    const std::string source = std::string(kUnsettledFolder) + "/torch_extension.h";
    std::vector<Step> steps =
        make_steps({*host_recipe().header}, {source}, "",
                   group_of(item_.host_choice, own, kUnsettledFolder, values));
    steps.back().files[source] = "#include <torch/extension.h>\n";
    settle(steps);
    return std::make_shared<const Step>(std::move(steps.back()));
  }

  void add_link() {
    const Op& op = *item_.op;
    PartWords words = extension_words(draft_, item_, *item_.parts.front().part, host_.flags, false);
    words.link_flags = extension_link_flags(draft_, item_);
    std::vector<std::string> libraries = op.libraries;
    std::string rpath = rpath_to("torch/lib") + rpath_of(op.needs);
    for (const PartBuild& build : item_.parts) {
      rpath += rpath_of(build.part->needs);
      libraries.insert(libraries.end(), build.part->libraries.begin(), build.part->libraries.end());
    }
    for (const std::string& library : libraries) words.libraries.push_back("-l" + library);
    const Values toolchain = make_toolchain_values(item_.host_choice);
    Values values = values_of(toolchain, words);
    values.set("rpath", rpath);
    StepGroup group = group_of(item_.host_choice, words, module_folder(), values);
    group.about = module_about();
    group.label = kExtensionForm;
    std::vector<Step> steps =
        make_steps({*host_recipe().link}, objects_, kBuildFolder + item_.entry.artifact, group);
    steps.back().kernels = op.exports;
    if (!op.stable_abi) steps.back().kernels.push_back("PyInit_" + module_name(op));
    std::move(steps.begin(), steps.end(), std::back_inserter(steps_));
  }

  /// Of folders of libraries that the needs bring, those of other Python packages are found from
  /// the module's own place, as torch's are; for others the loader's usual ways must do.
  std::string rpath_of(const manifest::Needs& needs) const {
    const std::string site = item_.torch->site + "/";
    std::string rpath;
    for (const std::string& folder : folder_libraries(needs, draft_.catalog, draft_.machine)) {
      if (folder.starts_with(site)) rpath += ":" + rpath_to(folder.substr(site.size()));
    }
    return rpath;
  }

  /// From the module's folder in site-packages to another one there.
  std::string rpath_to(const std::string& folder) const {
    std::string path = "$ORIGIN/";
    for (const char c : item_.op->module) path += c == '.' ? "../" : "";
    return path + folder;
  }

  const Draft& draft_;
  const Item& item_;
  const Accelerator& host_;
  TorchWords torch_;
  const std::vector<std::string> none_;
  std::vector<Step> steps_;
  std::vector<std::string> objects_;
  std::vector<std::string> device_objects_;
  std::set<std::string> translated_;
};

}  // namespace

std::vector<Step> make_extension_steps(const Draft& draft, const Item& item) {
  return ExtensionSteps(draft, item).make();
}

std::vector<Step> trial_object(const Draft& draft, const Item& item, const PartWords& words,
                               const std::string& source, const StepPlace& place) {
  const TorchWords no_torch;
  const std::vector<std::string> no_header;
  const Values toolchain = make_toolchain_values(item.host_choice);
  Values values = make_values(draft, item, toolchain, words, no_torch);
  values.set_list("torch_header", no_header);
  StepGroup group;
  group.choice = &item.host_choice;
  group.user = &draft.request.environment;
  group.folder = place.folder;
  group.about = place.about;
  group.values = &values;
  return make_steps(item.host_choice.recipe->extension->object, {source}, "", group);
}

}  // namespace dsbuild::plan
