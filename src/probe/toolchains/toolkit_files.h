// The parts of a toolkit that a descriptor describes: where such toolkits lie, which parts are
// there, what their files say of the version. Knows no toolkit by name and starts nothing.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/fact.h"
#include "base/version.h"
#include "manifest/catalog.h"
#include "probe/scene.h"

namespace dsbuild::probe {

/// Existing paths that an absolute pattern stands for, the highest number first.
std::vector<std::filesystem::path> find_newest_first(const System& system,
                                                     const std::filesystem::path& pattern);

/// A folder that may hold a toolkit, and the rule that named it.
struct ToolkitPlace {
  std::filesystem::path folder;
  std::string origin;  ///< "/opt/toolkit-*", the variable, or "Python packages"
};

/// Existing folders, in the rule's order; of those that one `*` stands for the newest first.
std::vector<ToolkitPlace> find_toolkit_places(const Scene& scene,
                                              const manifest::ToolkitRule& rule);

/// What of a toolkit lies below one folder.
struct ToolkitFiles {
  std::filesystem::path folder;
  std::map<std::string, std::string> values;  ///< placeholder -> the part's folder
  std::vector<std::string> missing;           ///< the parts that aren't there, by their best place
  std::vector<std::filesystem::path> files;   ///< the parts found, whose change is another toolkit
  bool sure = false;                          ///< one of the parts is only in such toolkits
};

ToolkitFiles find_toolkit_files(const Scene& scene, const manifest::ToolkitRule& rule,
                                const std::filesystem::path& folder);

/// The archs that the toolkit's files stand for, as the accelerator spells them.
std::vector<std::string> find_toolkit_archs(const System& system,
                                            const manifest::ToolkitArchs& rule,
                                            const ToolkitFiles& toolkit);

/// As the first of the rule's version files tells it.
Fact<Version> find_toolkit_version(const System& system, const manifest::ToolkitRule& rule,
                                   const std::filesystem::path& folder);

/// The toolkit that a command belongs to: the folder above its own, or above that of the file it
/// links to, whichever has more of the parts.
ToolkitFiles find_toolkit_of(const Scene& scene, const manifest::ToolkitRule& rule,
                             const std::filesystem::path& command,
                             const std::filesystem::path& real);

}  // namespace dsbuild::probe
