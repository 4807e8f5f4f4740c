// What goes into a bundle besides what was built: headers, the Python package, the environment
// report, the commit. Knows the catalog root's layout.
#pragma once

#include "bundle/bundle.h"
#include "cli/context.h"

namespace dsbuild::cli {

/// What a checkout is at.
struct Revision {
  std::string commit;  ///< empty: it is no checkout
  bool dirty = false;  ///< it differs from the commit
};
/// It starts git, which looks at every file of the checkout.
Revision read_revision(Context& context, const std::filesystem::path& root);

/// `revision`: of the catalog's first root.
bundle::BundleContent collect_content(const System& system, const manifest::Catalog& catalog,
                                      const probe::Machine& machine, const plan::Plan& plan,
                                      const std::filesystem::path& build_folder,
                                      const Revision& revision);

}  // namespace dsbuild::cli
