#include "plan/extension_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/text.h"
#include "manifest/arch_name.h"
#include "plan/compile_words.h"
#include "plan/extension_items.h"
#include "plan/folder_words.h"
#include "plan/recipes.h"

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

void append(const std::map<std::string, std::vector<std::string>>& flags, const std::string& tool,
            std::vector<std::string>& words) {
  const auto more = flags.find(tool);
  if (more != flags.end()) words.insert(words.end(), more->second.begin(), more->second.end());
}

}  // namespace

std::string module_name(const Op& op) {
  return op.module.substr(op.module.rfind('.') + 1);
}

TorchWords::TorchWords(const Item& item, const Accelerator& host) {
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

const manifest::ExtensionRecipe* device_recipe(const Item& item) {
  return item.uses_device() ? &*item.choice.recipe->extension : nullptr;
}

std::vector<std::string> device_words(
    const Item& item, const std::vector<std::string> manifest::ExtensionRecipe::*list) {
  const manifest::ExtensionRecipe* recipe = device_recipe(item);
  if (recipe == nullptr) return {};
  return expand_words(recipe->*list, make_toolchain_values(item.choice));
}

PartWords extension_words(const Draft& draft, const Item& item, const ExtensionPart& part,
                          const std::string& tool, bool binding) {
  const Op& op = *item.op;
  const OptionLayers layers{&op.options, &part.options};
  PartWords words;
  std::map<std::string, std::string> macros;
  for (const auto& [macro, feature] : op.features) {
    if (has_feature(draft, item, feature)) macros.emplace(macro, "");
  }
  macros.insert(item.macros.begin(), item.macros.end());
  if (binding) macros.emplace(kModuleMacro, module_name(op));
  if (op.stable_abi && !op.options.defines.contains(kTargetMacro))
    macros.emplace(kTargetMacro, target_macro_of(*item.torch->version));
  words.defines = define_words(layers, macros);
  words.includes = include_words(layers, op, draft.catalog, draft.paths, false);
  // The root of a source tree is no include folder of its ops.
  if (draft.catalog.tree) std::erase(words.includes, "-I" + draft.paths.name(op.folder));
  // Who builds says less than the op: a later flag beats an earlier one.
  for (const TreeFlags& row : draft.tree_flags) append(row.flags, tool, words.flags);
  for (std::string& flag : flag_words(layers, tool)) words.flags.push_back(std::move(flag));
  for (const manifest::Needs* needs : {&op.needs, &part.needs}) {
    for (std::string& word : folder_include_words(*needs, draft.catalog, draft.machine))
      words.includes.push_back(std::move(word));
  }
  words.source_root = draft.paths.name(op.folder);
  words.standard = fmt::format("{}c++{}", kStandardFlag, item.torch->standard);
  return words;
}

std::vector<std::string> extension_link_flags(const Draft& draft, const Item& item) {
  std::vector<std::string> words;
  const auto append_all = [&words](std::vector<std::string> more) {
    std::move(more.begin(), more.end(), std::back_inserter(words));
  };
  const auto add_folders = [&](const manifest::Needs& needs) {
    for (const std::string& folder : folder_libraries(needs, draft.catalog, draft.machine))
      words.push_back("-L" + folder);
  };
  append_all(flag_words({&item.op->options}, kLinkTool));
  add_folders(item.op->needs);
  for (const PartBuild& build : item.parts) {
    add_folders(build.part->needs);
    append_all(flag_words({&build.part->options}, kLinkTool));
  }
  append_all(device_words(item, &manifest::ExtensionRecipe::link_flags));
  return words;
}

PartWords extension_host_words(const Draft& draft, const Item& item, const ExtensionPart& part) {
  PartWords words = extension_words(draft, item, part, draft.catalog.host().flags, false);
  for (std::string& word : device_words(item, &manifest::ExtensionRecipe::host_flags))
    words.flags.push_back(std::move(word));
  words.link_flags = extension_link_flags(draft, item);
  return words;
}

void add_torch_needs(const Item& item, std::map<std::string, std::string>& needs) {
  const probe::Torch& torch = *item.torch;
  if (!item.op->after.empty()) needs["after"] = join(item.op->after, " ");
  needs["torch"] = item.op->stable_abi
                       ? ">=" + oldest_release(*item.op, *torch.version)
                       : fmt::format("=={}.{}", torch.version->part(0), torch.version->part(1));
  if (item.op->stable_abi) return;
  if (torch.cxx11_abi) needs["cxx11_abi"] = *torch.cxx11_abi;
  if (torch.python)
    needs["python"] = fmt::format("=={}.{}", torch.python->part(0), torch.python->part(1));
}

}  // namespace dsbuild::plan
