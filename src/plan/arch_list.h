// The arch language of requests: `--arch` and the list variables -> wishes per accelerator.
// Knows spellings; not what any toolchain offers or any device is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "manifest/arch_name.h"
#include "manifest/catalog.h"
#include "plan/request.h"

namespace dsbuild::plan {

/// The arch of this very host or of its devices.
inline constexpr const char* kNativeArch = "native";

/// One token of a list.
struct ArchWish {
  enum class Kind { one, all, all_major, native, listed } kind = Kind::one;
  manifest::ArchName arch;                                  ///< of `one`
  const std::vector<manifest::NamedArchs>* list = nullptr;  ///< of `listed`
  bool image = true;  ///< the arch's own image is wanted (not for "compute_90", "90-virtual")
  /// Whether the portable form is wanted: said ("9.0+PTX"), forbidden ("90-real"), or left to the
  /// rule that the newest of a list gets it.
  enum class Portable { by_rule, always, never } portable = Portable::by_rule;
};

/// What is wanted of one accelerator.
struct ArchWishes {
  std::vector<ArchWish> wishes;  ///< as they were written; never empty
  std::string origin;            ///< "--arch" or the variable
  bool from_variable = false;
  /// Archs were named, or the accelerator was ("cuda:all"); not so for a bare "all".
  bool names_accelerator = false;
};

/// By accelerator name; an accelerator without wishes gets its defaults. A token of `--arch`
/// restricts only the accelerator that it belongs to, a variable only the one whose descriptor
/// lists it;
/// `--arch` beats a variable, a variable that is listed earlier beats a later one. An empty list is
/// as good as none. What is no arch goes to `diagnostics` with the token and its origin.
std::map<std::string, ArchWishes> parse_arch_settings(const std::vector<Setting>& settings,
                                                      const manifest::Catalog& catalog,
                                                      const std::string& machine,
                                                      Diagnostics& diagnostics);

/// All archs of scheme `names` on this machine, in order, without "native".
std::vector<manifest::ArchName> named_archs(const manifest::Accelerator& accelerator,
                                            const std::string& machine);

/// Whether "native" has a meaning.
bool has_native(const manifest::Accelerator& accelerator);

}  // namespace dsbuild::plan
