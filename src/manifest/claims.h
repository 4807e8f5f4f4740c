// What only one descriptor may claim: a name or alias, bare numbers, a kind of toolchain, a
// variable, being the host. Knows descriptors, not files or ops.
#pragma once

#include <memory>
#include <vector>

#include "manifest/catalog.h"
#include "manifest/node.h"

namespace dsbuild::manifest {

/// A descriptor with the document it was read from.
struct DescriptorFile {
  std::unique_ptr<Document> document;
  Accelerator accelerator;
};

/// Tells each later descriptor of what an earlier one has already claimed.
void check_claims(const std::vector<DescriptorFile>& descriptors);

}  // namespace dsbuild::manifest
