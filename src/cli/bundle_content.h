// What goes into a bundle besides what was built: headers, the Python package, the environment
// report, the commit. Knows the catalog root's layout.
#pragma once

#include "bundle/bundle.h"
#include "cli/context.h"

namespace dsbuild::cli {

bundle::BundleContent collect_content(Context& context, const manifest::Catalog& catalog,
                                      const probe::Machine& machine, const plan::Plan& plan,
                                      const std::filesystem::path& build_folder);

}  // namespace dsbuild::cli
