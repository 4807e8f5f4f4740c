// What environment variables of a source tree ask for: which ops, and flags for compilers.
// Knows the tree's rules and how values are written; no machine.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/system.h"
#include "manifest/catalog.h"

namespace dsbuild::plan {

/// What the variables of the tree and of its ops say. An empty variable is not set.
struct OpWishes {
  std::optional<bool> all;             ///< of the variable for all ops
  std::vector<std::string> wanted;     ///< ops whose own variable asks for them, by name
  std::vector<std::string> unwanted;   ///< ops whose own variable leaves them out
  std::vector<std::string> variables;  ///< that were set
};

/// A value that is no switch (0, 1, true, false, on, off, yes, no) is an error; an unknown variable
/// that looks like one of an op's is a warning with the nearest name.
OpWishes find_op_wishes(const manifest::Catalog& catalog, const Environment& environment,
                        Diagnostics& diagnostics);

/// A variable that adds flags, as it is set.
struct TreeFlags {
  std::string variable;
  std::string value;
  std::map<std::string, std::vector<std::string>> flags;  ///< by tool
};

/// Those that are set and on, by name.
std::vector<TreeFlags> find_tree_flags(const manifest::Catalog& catalog,
                                       const Environment& environment, Diagnostics& diagnostics);

}  // namespace dsbuild::plan
