// What files of a bundle need of who loads them, such as torch, Python or a CUDA, against what that
// one has. Knows versions and their ranges; nothing of how either is found.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/version.h"
#include "bundle/bundle.h"
#include "probe/frameworks/torch.h"

namespace dsbuild::bundle {

/// Whether a version keeps the range: "==3.11" takes 3.11.7, "==2.15" takes 2.15.1, for a release
/// is its first two numbers. What is no range takes all.
bool takes(const std::string& need, const Version& version);

/// What torch must be built with for a module to be loaded beside it: a vendor's runtime library
/// says its major release in its name, "libcudart.so.13".
struct ToolkitNeed {
  const probe::TorchBackend* backend;
  int release;  ///< the major one
};
std::optional<ToolkitNeed> find_toolkit_need(const BundleFile& file);

/// What some file needs a version of: "glibc", "torch", or a toolkit as torch calls it.
std::set<std::string> consumer_names(const BundleIndex& index);

/// Every file that needs another version than the consumer has; nothing is said of what the
/// consumer doesn't tell.
std::vector<Diagnostic> check_consumer(const BundleIndex& index,
                                       const std::map<std::string, Version>& consumer);

}  // namespace dsbuild::bundle
