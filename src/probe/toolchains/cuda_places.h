// Where CUDA toolkits lie, in the order in which they are chosen. Knows variables, PATH and
// conventional folders, not what is in a toolkit.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "probe/scene.h"

namespace dsbuild::probe {

/// A folder that should hold a toolkit, and the rule that named it.
struct CudaPlace {
  std::filesystem::path folder;
  std::string origin;     ///< "--toolkit", "CUDA_HOME", "PATH", "/usr/local"
  std::string text;       ///< what the user wrote, for a demand
  bool demanded = false;  ///< the strongest of flag, CUDA_HOME and CUDA_PATH
};

/// In order: --toolkit KIND=…, CUDA_HOME, CUDA_PATH, each nvcc on PATH, /usr/local/cuda*,
/// /opt/cuda*, the conda prefix, wheels. The same real folder comes once.
std::vector<CudaPlace> find_cuda_places(const Scene& scene, const std::string& kind);

}  // namespace dsbuild::probe
