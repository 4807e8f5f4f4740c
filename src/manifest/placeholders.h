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
  kImageArgv = 1,         ///< a word of a step of `images`
  kObjectArgv = 2,        ///< a word of `object`
  kForArch = 4,           ///< a word of {"for": …, "argv": …}
  kLinkArgv = 8,          ///< a word of `link`
  kOutName = 16,          ///< `out`
  kLinkFlags = 32,        ///< an item of `link_flags`
  kNeed = 64,             ///< a value of `needs`
  kExtensionArgv = 128,   ///< a word of a step of `extension.object`, or of `extension.header`
  kExtensionLink = 256,   ///< a word of `extension.link`
  kTranslationOut = 512,  ///< `out` of `extension.translation`
};

struct PlaceholderRow {
  std::string_view name;
  bool list;        ///< becomes several words, so it must be a word of its own
  unsigned places;  ///< TemplatePlace bits
  std::string_view meaning;
};

inline constexpr unsigned kAnyArgv =
    kImageArgv | kObjectArgv | kForArch | kLinkArgv | kExtensionArgv | kExtensionLink;
/// Commands that compile, and commands that link.
inline constexpr unsigned kCompileArgv = kImageArgv | kObjectArgv | kExtensionArgv;
inline constexpr unsigned kJoinArgv = kLinkArgv | kExtensionLink;

inline constexpr std::array kPlaceholders{
    PlaceholderRow{"in", true, kCompileArgv | kJoinArgv,
                   "the source, or all files of the step before"},
    PlaceholderRow{"out", false, kCompileArgv | kJoinArgv, "the file to make"},
    PlaceholderRow{"depfile", false, kCompileArgv,
                   "where the command says which headers it read, in make's syntax"},
    PlaceholderRow{"stem", false, kCompileArgv | kOutName,
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
    PlaceholderRow{"defines", true, kCompileArgv, "`-DNAME=value` of the manifest"},
    PlaceholderRow{"includes", true, kCompileArgv, "`-IDIR` of the manifest"},
    PlaceholderRow{"flags", true, kCompileArgv, "the manifest's flags for this tool"},
    PlaceholderRow{"link_flags", true, kImageArgv | kJoinArgv,
                   "the manifest's `link` flags, and `link_flags` of the recipes whose objects are "
                   "linked"},
    PlaceholderRow{"libraries", true, kImageArgv | kJoinArgv, "`-lNAME` of the manifest"},
    PlaceholderRow{"exports", false, kJoinArgv,
                   "a version script that exports what the op exports and hides the rest"},
    PlaceholderRow{"level", false, kExtensionArgv | kExtensionLink,
                   "the arch of the host accelerator that the host code is compiled for"},
    PlaceholderRow{"torch_defines", true, kExtensionArgv,
                   "`-DNAME=VALUE` of torch: its C++ ABI, its pybind11"},
    PlaceholderRow{"torch_includes", true, kExtensionArgv,
                   "`-isystem DIR` of torch's headers and of Python's"},
    PlaceholderRow{"torch_header", true, kExtensionArgv,
                   "`-include FILE` of the precompiled header; nothing where there is none"},
    PlaceholderRow{"torch", false, kExtensionArgv, "torch's own folder"},
    PlaceholderRow{"torch_python", false, kExtensionArgv, "the Python that torch belongs to"},
    PlaceholderRow{"tools", false, kExtensionArgv, "the folder of dsbuild's own Python scripts"},
    PlaceholderRow{"path", false, kTranslationOut, "the file's path below the op's folder"},
    PlaceholderRow{"torch_lib", false, kExtensionLink, "the folder of torch's libraries"},
    PlaceholderRow{"torch_libraries", true, kExtensionLink, "`-lNAME` of torch"},
    PlaceholderRow{"rpath", false, kExtensionLink,
                   "the way from the module to torch's libraries: `$ORIGIN/../torch/lib`"},
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
