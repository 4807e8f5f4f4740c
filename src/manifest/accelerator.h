// One accelerator descriptor: JSON to an Accelerator, with everything that is wrong with it alone.
// Knows the format of descriptors; catalog-wide claims are checked by claims.h.
#pragma once

#include <array>
#include <string_view>

#include "manifest/catalog.h"
#include "manifest/node.h"

namespace dsbuild::manifest {

/// The key of each kind of detection rule, and the one that goes with it alone.
struct DetectKey {
  std::string_view key;
  DetectRule::Kind kind;
  std::string_view extra;
};
inline constexpr std::array<DetectKey, 4> kDetectKeys{
    {{"file", DetectRule::Kind::file, "regex"},
     {"tool", DetectRule::Kind::tool, ""},
     {"library", DetectRule::Kind::library, "folders"},
     {"python", DetectRule::Kind::python, ""}}};

/// Reads what can be understood; the schema has already told of wrong types and keys.
Accelerator read_accelerator(const Node& root);

/// Tells of names that are not archs, of forms that nothing makes and of templates that can't be
/// filled. `probes` are those of all descriptors: a recipe may use kinds that another one probes.
void check_accelerator(const Node& root, const Accelerator& accelerator,
                       const std::vector<ToolchainProbe>& probes);

/// A regular expression, where there is one; with a group, where that is what is told.
void check_regex(const Node& node, bool with_group = true);

/// The part of it that looks at one recipe.
void check_recipe(const Node& node, const ToolchainRecipe& recipe, const Accelerator& accelerator,
                  const std::vector<ToolchainProbe>& probes);

}  // namespace dsbuild::manifest
