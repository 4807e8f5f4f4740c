// What the compiles and links of a python_extension are told: macros, folders and flags of torch,
// of the op and of who builds. Knows torch's conventions; makes no step.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/draft.h"
#include "plan/steps.h"

namespace dsbuild::plan {

/// "cpu_adam_op" of "deepspeed.ops.adam.cpu_adam_op": what the module's init is called after.
std::string module_name(const manifest::Op& op);

/// What torch itself asks of every compile and link.
struct TorchWords {
  std::vector<std::string> defines, includes, libraries;

  TorchWords() = default;  ///< nothing: of what is compiled without a torch
  TorchWords(const Item& item, const manifest::Accelerator& host);
};

/// Of the accelerator's toolchain; null for an op of host sources alone.
const manifest::ExtensionRecipe* device_recipe(const Item& item);

/// A list of that recipe, with the toolchain's values; empty when there is none.
std::vector<std::string> device_words(
    const Item& item, const std::vector<std::string> manifest::ExtensionRecipe::*list);

/// What sources of the part are compiled with. `tool`: whose flags; `binding`: one of them holds
/// the module's init.
PartWords extension_words(const Draft& draft, const Item& item, const manifest::ExtensionPart& part,
                          const std::string& tool, bool binding);

/// What the module's link is told besides its objects and libraries: flags of the op and its parts,
/// folders of the libraries that they need, what the accelerator's objects need.
std::vector<std::string> extension_link_flags(const Draft& draft, const Item& item);

/// What a host source of the part is compiled with, and its module linked, for trying what the part
/// needs.
PartWords extension_host_words(const Draft& draft, const Item& item,
                               const manifest::ExtensionPart& part);

/// What loading the module needs: torch and its C++ ABI, Python, ops before it.
void add_torch_needs(const Item& item, std::map<std::string, std::string>& needs);

}  // namespace dsbuild::plan
