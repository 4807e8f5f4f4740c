// What a folder that an op needs (CUTLASS, a vendor's toolkit) gives to its compiles and links, and
// why it can't. Knows the source tree's rules and the machine's facts; looks at nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manifest/catalog.h"
#include "plan/reasons.h"
#include "probe/machine.h"

namespace dsbuild::plan {

/// The first folder of the needs that isn't there, or has the wrong version.
std::optional<Reason> find_unmet_folder(const std::string& who, const manifest::Needs& needs,
                                        const manifest::Catalog& catalog,
                                        const probe::Machine& machine);

/// "-isystem", "/opt/cutlass/include", …
std::vector<std::string> folder_include_words(const manifest::Needs& needs,
                                              const manifest::Catalog& catalog,
                                              const probe::Machine& machine);

/// Folders of libraries, absolute.
std::vector<std::string> folder_libraries(const manifest::Needs& needs,
                                          const manifest::Catalog& catalog,
                                          const probe::Machine& machine);

}  // namespace dsbuild::plan
