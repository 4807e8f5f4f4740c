// Arch names: one spelling to one canonical name, their order, and whether a filter takes one.
// Knows the three naming schemes, not which accelerator uses which, nor what any toolchain offers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/catalog.h"

namespace dsbuild::manifest {

/// An arch taken apart. Names without a number (scheme `names`) order by their place in the list.
struct ArchName {
  std::string name;         ///< canonical: "sm_90a", "gfx90a:xnack-", "x86-64-v3"
  std::vector<int> number;  ///< {9, 0}; {9, 0, 10} for gfx90a; the place in the list for `names`
  std::string suffix;       ///< "a" of sm_90a; ":xnack-" of a target
  bool portable = false;    ///< "+PTX" or the portable spelling (compute_90) was used

  bool operator==(const ArchName&) const = default;
};

/// Parses one spelling: "9.0a", "sm_90a", "90a", "compute_90", "9.0+PTX", "gfx90a:xnack-",
/// "gfx11-generic", "x86-64-v3". Empty when it is no arch of this accelerator; a number without
/// prefix is one only where `bare` is set. `machine` ("x86_64") selects among names; empty: any.
std::optional<ArchName> parse_arch_name(const Accelerator& accelerator, std::string_view spelling,
                                        std::string_view machine);

/// Order by number, then suffix. Never by text.
bool arch_less(const ArchName& a, const ArchName& b);

/// "90a" of (9, 0, "a") and of gfx90a: what `{number}` stands for.
std::string arch_number_text(const ArchName& arch);

/// The arch that a kernel set is built for when `requested` is asked for: `requested` itself, or,
/// for a filter that lists "9.0a" while 9.0 is asked for, that one. A listed arch without suffix
/// or features takes all of them: the code that is right for gfx90a is right for gfx90a:xnack-.
/// Empty when the filter doesn't take it.
std::optional<ArchName> apply_filter(const Accelerator& accelerator, const ArchFilter& filter,
                                     const ArchName& requested, std::string_view machine);

/// Whether an image for the arch `image` (in the accelerator's portable form or not) loads on a
/// device whose arch is `device`: names are in order, each running what those before it run.
bool arch_runs_on(const Accelerator& accelerator, const ArchName& image, bool portable,
                  const ArchName& device);

/// Whether one request could be taken by both filters.
bool filters_overlap(const Accelerator& accelerator, const ArchFilter& a, const ArchFilter& b);

}  // namespace dsbuild::manifest
