// The folders of PATH, the Python environments that are found by them, and their torches: what can
// be looked for before a catalog is read. Knows no accelerator and no op.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/fact.h"
#include "base/system.h"
#include "base/version.h"
#include "probe/frameworks/torch.h"

namespace dsbuild::probe {

struct ProbeOptions;

/// A folder and the names in it, in byte order.
struct FolderListing {
  std::filesystem::path folder;
  std::vector<std::string> names;
};

/// A folder with installed wheels, and the environment that it belongs to.
struct PythonPackages {
  std::filesystem::path folder;  ///< site-packages or dist-packages, links followed
  std::filesystem::path prefix;  ///< of the environment: the folder of bin/python3; empty: unknown
  std::string found_by;          ///< "--torch", "--python", "VIRTUAL_ENV", "CONDA_PREFIX", "PATH"
  Fact<Version> python;          ///< 3.11
};

struct Pythons {
  std::vector<FolderListing> path;       ///< the folders of PATH, each real folder once
  std::vector<PythonPackages> packages;  ///< each folder once
  std::vector<Torch> torches;            ///< where the options ask for them
  std::vector<std::string> problems;     ///< for the machine's
};

/// Never fails, as probe_machine.
Pythons find_pythons(const System& system, const ProbeOptions& options);

}  // namespace dsbuild::probe
