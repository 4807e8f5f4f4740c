// (BundleIndex, a Python with its torch, a CPU) -> which extension modules are installed there,
// under which names, and what speaks against it. Pure: touches neither the bundle nor the machine.
#pragma once

#include <string>
#include <vector>

#include "base/version.h"
#include "bundle/bundle.h"
#include "manifest/catalog.h"
#include "probe/frameworks/torch.h"

namespace dsbuild::bundle {

/// An extension of a bundle, by its path: "extensions/cuda/deepspeed/ops/x_op.SUFFIX".
struct Extension {
  BundleFile file;
  std::string module;              ///< dotted: "deepspeed.ops.x_op"
  std::string place;               ///< below the folder of packages: "deepspeed/ops/x_op.SUFFIX"
  std::string suffix;              ///< of the file, from its first dot, without the variant
  std::vector<std::string> after;  ///< ops whose modules must be loaded before
};

std::vector<Extension> find_extensions(const BundleIndex& index);

/// Where extensions are wanted.
struct ExtensionHost {
  Version python;
  std::vector<std::string> suffixes;
  probe::Torch torch;   ///< by its files
  std::string level;    ///< of the CPU; empty: unknown
  std::string package;  ///< "deepspeed"
  std::optional<Version> package_version;
};

struct ExtensionChoice {
  std::vector<Extension> extensions;  ///< by op, those after which others are loaded among them
  std::vector<std::string> problems;  ///< each a sentence
};

/// Those of `ops` (empty: all) for an accelerator; of several levels the best that the CPU runs.
ExtensionChoice choose_extensions(const BundleIndex& index, const manifest::Catalog& catalog,
                                  const ExtensionHost& host, const std::string& accelerator,
                                  const std::vector<std::string>& ops);

/// Accelerators that the bundle has extensions for, sorted.
std::vector<std::string> extension_accelerators(const BundleIndex& index);

}  // namespace dsbuild::bundle
