// Foreign sources -> sources of an accelerator, in the build folder, under their own names.
// Knows the recipe's translation and the headers that were found; not who compiles them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plan/draft.h"
#include "plan/steps.h"

namespace dsbuild::plan {

/// A source and the headers that it includes, translated.
struct Translation {
  std::vector<Step> steps;
  std::string folder;  ///< where they lie, as the originals do below the op's folder
  std::string source;
  std::vector<std::string> headers;
};

/// Whether the item's recipe translates such a source.
bool is_translated(const Item& item, const std::filesystem::path& source);

/// One step for each file. Ops with one folder and one torch have the same steps for the same
/// files. `group`: of the item's toolchain; its folder is not used.
Translation translate(const Draft& draft, const Item& item, const manifest::ExtensionPart& part,
                      const std::filesystem::path& source, const StepGroup& group);

/// "-I{src}/a" becomes "-I{build}/…/a" and "-I{src}/a": a translation is found before its original.
void put_translations_first(const std::string& folder, PartWords& words);

}  // namespace dsbuild::plan
