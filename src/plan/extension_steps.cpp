#include "plan/extension_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "manifest/arch_name.h"
#include "plan/compile_words.h"
#include "plan/extension_items.h"
#include "plan/folder_words.h"
#include "plan/recipes.h"
#include "plan/translation.h"

namespace dsbuild::plan {
namespace {

using manifest::Accelerator;
using manifest::ExtensionPart;
using manifest::Op;

/// torch's macro for the name of the module's init.
constexpr const char* kModuleMacro = "TORCH_EXTENSION_NAME";
/// torch's macro for the oldest release whose stable ABI is used: major and minor in the two
/// highest bytes (torch/csrc/stable/version.h).
constexpr const char* kTargetMacro = "TORCH_TARGET_VERSION";
constexpr std::size_t kFolderDigits = 12;
/// Stands for the folder of a step's files until their hash is known.
constexpr const char* kUnsettled = "obj/extension/@";
constexpr const char* kUnsettledFolder = "{build}/obj/extension/@";

std::string last_part(const std::string& module) {
  return module.substr(module.rfind('.') + 1);
}

std::string target_macro_of(const Version& torch) {
  return fmt::format("0x{:02x}{:02x}000000000000", torch.part(0), torch.part(1));
}

/// The release of torch that an extension of its stable ABI can be loaded by, and all later ones.
std::string oldest_release(const Op& op, const Version& torch) {
  const auto said = op.options.defines.find(kTargetMacro);
  const std::string text = said == op.options.defines.end() ? target_macro_of(torch) : said->second;
  const std::uint64_t target = std::strtoull(text.c_str(), nullptr, 0);
  return fmt::format("{}.{}", target >> 56, (target >> 48) & 0xff);
}

/// The level of the host code; of this very host, the highest that its CPU has.
manifest::ArchName level_of(const Draft& draft, const Item& item) {
  const Fact<std::string>& highest = draft.machine.cpu.level;
  if (item.level.name != kNativeArch || !highest) return item.level;
  return manifest::parse_arch_name(draft.catalog.host(), *highest, draft.scope.machine)
      .value_or(item.level);
}

/// Every arch of the build, or the level of the host code, has what the macro stands for.
bool has_feature(const Draft& draft, const Item& item, const manifest::Feature& feature) {
  const Accelerator& host = draft.catalog.host();
  const auto takes = [&](const Accelerator& accelerator, const manifest::ArchName& arch) {
    const auto filter = feature.find(accelerator.name);
    return filter != feature.end() &&
           manifest::apply_filter(accelerator, filter->second, arch, draft.scope.machine);
  };
  if (takes(host, level_of(draft, item))) return true;
  const std::vector<FatArch> archs = fat_archs_of(item);
  return !archs.empty() && std::all_of(archs.begin(), archs.end(), [&](const FatArch& arch) {
    return takes(*item.accelerator, arch.arch);
  });
}

/// Words that last as long as the steps are made.
struct TorchWords {
  std::vector<std::string> defines, includes, libraries;

  TorchWords(const Item& item, const Accelerator& host) {
    const probe::Torch& torch = *item.torch;
    for (const std::string& define : torch.defines) defines.push_back("-D" + define);
    const auto add_folder = [this](const std::string& folder) {
      includes.push_back("-isystem");
      includes.push_back(folder);
    };
    for (const std::string& folder : torch.includes) add_folder(folder);
    if (torch.python_include) add_folder(*torch.python_include);
    auto names = torch.libraries.find(item.accelerator->name);
    if (names == torch.libraries.end()) names = torch.libraries.find(host.name);
    if (names == torch.libraries.end()) return;
    for (const std::string& name : names->second) libraries.push_back("-l" + name);
  }
};

class ExtensionSteps {
 public:
  ExtensionSteps(const Draft& draft, const Item& item)
      : draft_(draft), item_(item), host_(draft.catalog.host()), torch_(item, host_) {}

  std::vector<Step> make() {
    for (const PartBuild& build : item_.parts) {
      for (const auto& source : build.part->binding) add_object(build, source, true);
      for (const auto& source : build.part->sources) add_object(build, source, false);
    }
    add_device_link();
    add_link();
    return std::move(steps_);
  }

  PartWords words_of(const ExtensionPart& part, const std::string& tool, bool binding) const {
    const Op& op = *item_.op;
    const OptionLayers layers{&op.options, &part.options};
    PartWords words;
    std::map<std::string, std::string> macros;
    for (const auto& [macro, feature] : op.features) {
      if (has_feature(draft_, item_, feature)) macros.emplace(macro, "");
    }
    macros.insert(item_.macros.begin(), item_.macros.end());
    if (binding) macros.emplace(kModuleMacro, last_part(op.module));
    if (op.stable_abi && !op.options.defines.contains(kTargetMacro))
      macros.emplace(kTargetMacro, target_macro_of(*item_.torch->version));
    words.defines = define_words(layers, macros);
    words.includes = include_words(layers, op, draft_.catalog, draft_.paths, false);
    // The root of a source tree is no include folder of its ops.
    if (draft_.catalog.tree) std::erase(words.includes, "-I" + draft_.paths.name(op.folder));
    // Who builds says less than the op: a later flag beats an earlier one.
    for (const TreeFlags& row : draft_.tree_flags) append(row.flags, tool, words.flags);
    for (std::string& flag : flag_words(layers, tool)) words.flags.push_back(std::move(flag));
    for (const manifest::Needs* needs : {&op.needs, &part.needs}) {
      for (std::string& word : folder_include_words(*needs, draft_.catalog, draft_.machine))
        words.includes.push_back(std::move(word));
    }
    words.source_root = draft_.paths.name(op.folder);
    words.standard = fmt::format("{}c++{}", kStandardFlag, item_.torch->standard);
    return words;
  }

  /// Of the accelerator's toolchain; null for an op of host sources alone.
  const manifest::ExtensionRecipe* device_recipe() const {
    return item_.uses_device() ? &*item_.choice.recipe->extension : nullptr;
  }

  static void append(const std::map<std::string, std::vector<std::string>>& flags,
                     const std::string& tool, std::vector<std::string>& words) {
    const auto more = flags.find(tool);
    if (more != flags.end()) words.insert(words.end(), more->second.begin(), more->second.end());
  }

  std::vector<std::string> device_words(
      const std::vector<std::string> manifest::ExtensionRecipe::*flags) const {
    if (device_recipe() == nullptr) return {};
    return expand_words(device_recipe()->*flags, make_toolchain_values(item_.choice));
  }

 private:
  Values make_values(const Values& toolchain, const PartWords& words) const {
    Values values(&toolchain);
    values.set("op", item_.op->name);
    values.set("machine", draft_.scope.machine);
    values.set("baseline", draft_.baseline);
    values.set("level", item_.level.name);
    values.set("src", words.source_root);
    values.set_list("defines", words.defines);
    values.set_list("includes", words.includes);
    values.set_list("flags", words.flags);
    values.set_list("link_flags", words.link_flags);
    values.set_list("libraries", words.libraries);
    values.set_list("torch_defines", torch_.defines);
    values.set_list("torch_includes", torch_.includes);
    values.set_list("torch_libraries", torch_.libraries);
    values.set("torch_lib", item_.torch->lib);
    return values;
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

  void add_object(const PartBuild& build, const std::filesystem::path& source, bool binding) {
    const manifest::ExtensionRecipe* of_device = device_recipe();
    const bool device =
        is_device_source(item_, host_, source) || (of_device != nullptr && of_device->host_sources);
    const Choice& choice = device ? item_.choice : item_.host_choice;
    PartWords words =
        words_of(*build.part, device ? item_.accelerator->flags : host_.flags, binding);
    if (!device) {
      for (std::string& word : device_words(&manifest::ExtensionRecipe::host_flags))
        words.flags.push_back(std::move(word));
    }
    std::string input = draft_.paths.name(source);
    std::vector<std::string> headers;
    if (of_device != nullptr && is_translated(item_, source)) {
      Translation made = add_translation(*build.part, source, words);
      put_translations_first(made.folder, words);
      input = std::move(made.source);
      headers = std::move(made.headers);
    }
    const Values toolchain = make_toolchain_values(choice);
    Values values = make_values(toolchain, words);
    const manifest::ExtensionRecipe& recipe = *choice.recipe->extension;
    const bool may_precompile =
        !device && host_recipe().header && build.part->torch_sources.contains(source);
    if (!may_precompile) values.set_list("torch_header", none_);
    StepGroup group = group_of(choice, words, kUnsettledFolder, values);
    if (device) group.archs = build.archs;
    std::vector<Step> steps = make_steps(recipe.object, {input}, "", group);
    settle(steps);
    // They must be there before it is compiled; its depfile tells of all others.
    steps.back().inputs.insert(steps.back().inputs.end(), headers.begin(), headers.end());
    if (may_precompile) steps.back().header = header_of(words);
    if (const auto size = build.part->sizes.find(source); size != build.part->sizes.end())
      steps.back().weight = size->second * (1 + group.archs.size());
    objects_.push_back(steps.back().outputs.front());
    if (device) device_objects_.push_back(objects_.back());
    std::move(steps.begin(), steps.end(), std::back_inserter(steps_));
  }

  /// Each file's step once.
  Translation add_translation(const ExtensionPart& part, const std::filesystem::path& source,
                              const PartWords& words) {
    const Values toolchain = make_toolchain_values(item_.choice);
    const Values values = make_values(toolchain, words);
    Translation made =
        translate(draft_, item_, part, source, group_of(item_.choice, words, "", values));
    for (Step& step : made.steps) {
      if (translated_.insert(step.id).second) steps_.push_back(std::move(step));
    }
    return made;
  }

  /// The device code of several objects may have to become one.
  void add_device_link() {
    const manifest::ExtensionRecipe* recipe = device_recipe();
    if (recipe == nullptr || !recipe->device_link || device_objects_.empty()) return;
    const PartWords words = words_of(*item_.parts.front().part, item_.accelerator->flags, false);
    const Values toolchain = make_toolchain_values(item_.choice);
    const Values values = make_values(toolchain, words);
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
    const Values values = make_values(toolchain, own);
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
    PartWords words = words_of(*item_.parts.front().part, host_.flags, false);
    words.link_flags = flag_words({&op.options}, kLinkTool);
    std::vector<std::string> libraries = op.libraries;
    std::string rpath = rpath_to("torch/lib");
    add_folders(op.needs, words, rpath);
    for (const PartBuild& build : item_.parts) {
      add_folders(build.part->needs, words, rpath);
      for (std::string& flag : flag_words({&build.part->options}, kLinkTool))
        words.link_flags.push_back(std::move(flag));
      libraries.insert(libraries.end(), build.part->libraries.begin(), build.part->libraries.end());
    }
    for (std::string& word : device_words(&manifest::ExtensionRecipe::link_flags))
      words.link_flags.push_back(std::move(word));
    for (const std::string& library : libraries) words.libraries.push_back("-l" + library);
    const Values toolchain = make_toolchain_values(item_.host_choice);
    Values values = make_values(toolchain, words);
    values.set("rpath", rpath);
    StepGroup group = group_of(item_.host_choice, words, module_folder(), values);
    group.about = module_about();
    group.label = kExtensionForm;
    std::vector<Step> steps =
        make_steps({*host_recipe().link}, objects_, kBuildFolder + item_.entry.artifact, group);
    steps.back().kernels = op.exports;
    if (!op.stable_abi) steps.back().kernels.push_back("PyInit_" + last_part(op.module));
    std::move(steps.begin(), steps.end(), std::back_inserter(steps_));
  }

  /// Folders of libraries that the needs bring. Those of other Python packages are found from the
  /// module's own place, as torch's are; for others the loader's usual ways must do.
  void add_folders(const manifest::Needs& needs, PartWords& words, std::string& rpath) const {
    const std::string site = item_.torch->site + "/";
    for (const std::string& folder : folder_libraries(needs, draft_.catalog, draft_.machine)) {
      words.link_flags.push_back("-L" + folder);
      if (folder.starts_with(site)) rpath += ":" + rpath_to(folder.substr(site.size()));
    }
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

PartWords extension_host_words(const Draft& draft, const Item& item, const ExtensionPart& part) {
  const ExtensionSteps steps(draft, item);
  PartWords words = steps.words_of(part, draft.catalog.host().flags, false);
  for (std::string& word : steps.device_words(&manifest::ExtensionRecipe::host_flags))
    words.flags.push_back(std::move(word));
  return words;
}

void add_torch_needs(const Item& item, std::map<std::string, std::string>& needs) {
  const probe::Torch& torch = *item.torch;
  if (!item.op->after.empty()) needs["after"] = join(item.op->after, " ");
  needs["torch"] = item.op->stable_abi
                       ? ">=" + oldest_release(*item.op, *torch.version)
                       : fmt::format("=={}.{}", torch.version->part(0), torch.version->part(1));
  if (torch.python && !item.op->stable_abi)
    needs["python"] = fmt::format("=={}.{}", torch.python->part(0), torch.python->part(1));
}

}  // namespace dsbuild::plan
