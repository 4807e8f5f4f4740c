// Knows where a bundle is and which of its folders and files belong to this host.
// Does not open libraries, nor read bundle.json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dsops::runtime {

/// Paths of a bundle: lib/<triple>/<op>.so and images/<op>/<accelerator>/.
struct BundleFolder {
  std::string path;              ///< absolute, links resolved
  std::string libraries;         ///< path/lib/<triple>
  std::vector<std::string> ops;  ///< names, sorted
};

/// Reads the bundle at `path`; "" looks in DSOPS_BUNDLE, then beside this library. Fails naming
/// what was looked for and where.
std::int32_t find_bundle(const std::string& path, BundleFolder& out);

}  // namespace dsops::runtime
