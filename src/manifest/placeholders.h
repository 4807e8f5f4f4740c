// The placeholders of descriptors' templates: their names, where each may stand and what it
// becomes. Knows no toolchain: what a probe gives comes on top.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/node.h"

namespace dsbuild::manifest {

/// Where a template stands.
enum TemplatePlace : unsigned {
  kImageArgv = 1,   ///< a word of a step of `images`
  kObjectArgv = 2,  ///< a word of `object`
  kForArch = 4,     ///< a word of {"for": …, "argv": …}
  kLinkArgv = 8,    ///< a word of `link`
  kOutName = 16,    ///< `out`
  kLinkFlags = 32,  ///< an item of `link_flags`
  kNeed = 64,       ///< a value of `needs`
};

struct PlaceholderRow {
  std::string_view name;
  bool list;        ///< becomes several words, so it must be a word of its own
  unsigned places;  ///< TemplatePlace bits
  std::string_view meaning;
};

inline constexpr unsigned kAnyArgv = kImageArgv | kObjectArgv | kForArch | kLinkArgv;

inline constexpr std::array kPlaceholders{
    PlaceholderRow{"in", true, kImageArgv | kObjectArgv | kLinkArgv,
                   "the source, or all files of the step before"},
    PlaceholderRow{"out", false, kImageArgv | kObjectArgv | kLinkArgv, "the file to make"},
    PlaceholderRow{"depfile", false, kImageArgv | kObjectArgv,
                   "where the command says which headers it read, in make's syntax"},
    PlaceholderRow{"stem", false, kImageArgv | kObjectArgv | kOutName,
                   "the source's file name without its suffix"},
    PlaceholderRow{"arch", false, kImageArgv | kForArch | kOutName | kNeed,
                   "the arch's canonical name: `sm_90a`"},
    PlaceholderRow{"number", false, kImageArgv | kForArch | kOutName | kNeed,
                   "the arch without its prefix: `90a`"},
    PlaceholderRow{"op", false, kAnyArgv | kOutName, "the op's name"},
    PlaceholderRow{"src", false, kAnyArgv | kLinkFlags, "the catalog root that the op came from"},
    PlaceholderRow{"machine", false, kAnyArgv, "the host machine: `x86_64`"},
    PlaceholderRow{"baseline", false, kAnyArgv,
                   "the oldest arch of the host accelerator's defaults for this machine"},
    PlaceholderRow{"features", true, kImageArgv,
                   "for the arch `native`: the macro that names this CPU's features"},
    PlaceholderRow{"defines", true, kImageArgv | kObjectArgv, "`-DNAME=value` of the manifest"},
    PlaceholderRow{"includes", true, kImageArgv | kObjectArgv, "`-IDIR` of the manifest"},
    PlaceholderRow{"flags", true, kImageArgv | kObjectArgv, "the manifest's flags for this tool"},
    PlaceholderRow{"link_flags", true, kImageArgv | kLinkArgv,
                   "the manifest's `link` flags, and `link_flags` of the recipes whose objects are "
                   "linked"},
    PlaceholderRow{"libraries", true, kImageArgv | kLinkArgv, "`-lNAME` of the manifest"},
    PlaceholderRow{"exports", false, kLinkArgv,
                   "a version script that exports what the op exports and hides the rest"},
    PlaceholderRow{"host_cxx", false, kAnyArgv, "the host compiler (with `host_compiler`)"},
    PlaceholderRow{"version", false, kAnyArgv | kNeed, "the toolchain's version: `13.0.88`"},
    PlaceholderRow{"major", false, kAnyArgv | kNeed, "the first part of the toolchain's version"},
    PlaceholderRow{"minor", false, kAnyArgv | kNeed, "the second part of the toolchain's version"},
};

/// What the check of a template needs to know of its surroundings.
struct TemplateScope {
  /// Placeholders that every kind of the recipe gives; nothing: that is not known.
  std::optional<std::vector<std::string>> of_toolchain;
  bool numbered = true;  ///< the archs have numbers
  bool host_compiler = false;
};

/// Tells what is wrong with the template text at `node`.
void check_template(const Node& node, TemplatePlace place, const TemplateScope& scope);

/// Names between braces, in order.
std::vector<std::string> placeholders_of(std::string_view text);

}  // namespace dsbuild::manifest
