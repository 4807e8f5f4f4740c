#include "manifest/read_sources.h"

#include <algorithm>

#include "base/text.h"
#include "manifest/include_scan.h"

namespace fs = std::filesystem;

namespace dsbuild::manifest {
namespace {

/// What torch's own extensions include, and what takes longest to compile.
constexpr std::string_view kTorchHeader = "torch/extension.h";

/// What recipes of the part's accelerators must know of a source: its headers, where some may have
/// to be translated, and which of their macros it names.
void scan_for_recipes(const fs::path& source, const std::vector<fs::path>& folders,
                      const Catalog& catalog, const Op& op, IncludeScan& includes,
                      ExtensionPart& part) {
  for (const auto& [name, filter] : part.on) {
    const auto accelerator = catalog.accelerators.find(name);
    if (accelerator == catalog.accelerators.end()) continue;
    for (const ToolchainRecipe& recipe : accelerator->second.toolchains) {
      if (!recipe.extension ||
          !(recipe.extension->translation || !recipe.extension->macros.empty()))
        continue;
      std::vector<fs::path> files = includes.headers_of(source, folders);
      std::erase_if(
          files, [&](const fs::path& file) { return !lies_in(file.native(), op.folder.native()); });
      part.headers[source] = files;
      files.push_back(source);
      for (const auto& [macro, values] : recipe.extension->macros) {
        const auto named = [&, &macro = macro](const fs::path& file) {
          return includes.mentions(file, macro);
        };
        if (std::any_of(files.begin(), files.end(), named)) part.macros.insert(macro);
      }
    }
  }
}

void read_part(const System& system, const Catalog& catalog, const Op& op, IncludeScan& includes,
               ExtensionPart& part) {
  std::vector<fs::path> folders = op.options.include;
  folders.insert(folders.end(), part.options.include.begin(), part.options.include.end());
  for (const auto* sources : {&part.binding, &part.sources}) {
    for (const auto& source : *sources) {
      if (const auto status = system.status(source)) part.sizes.emplace(source, status->size);
      if (includes.includes(source, folders, kTorchHeader)) part.torch_sources.insert(source);
      scan_for_recipes(source, folders, catalog, op, includes, part);
    }
  }
}

}  // namespace

void read_sources(const System& system, const std::vector<std::string>& ops, Catalog& catalog) {
  IncludeScan includes(system);
  for (const std::string& name : ops) {
    const auto op = catalog.ops.find(name);
    if (op == catalog.ops.end()) continue;
    for (ExtensionPart& part : op->second.parts) {
      const bool is_read = !part.sizes.empty();
      if (!is_read) read_part(system, catalog, op->second, includes, part);
    }
  }
}

}  // namespace dsbuild::manifest
