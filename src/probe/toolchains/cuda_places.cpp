#include "probe/toolchains/cuda_places.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "probe/demand.h"
#include "probe/toolchains/command_files.h"
#include "probe/toolchains/cuda_files.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

/// A demanded path may be the toolkit, or the nvcc in it.
fs::path demanded_folder(const System& system, const fs::path& path) {
  if (!path.is_absolute()) return path;
  const auto status = system.status(path);
  return status && status->is_file() ? find_cuda_folder(system, path) : path;
}

/// FOLDER/cuda first (what the administrator chose), then FOLDER/cuda-*, the newest first.
std::vector<fs::path> conventional_folders(const System& system, const fs::path& folder) {
  std::vector<std::string> names;
  for (const std::string& name : system.list_folder(folder)) {
    if (name.starts_with("cuda-")) names.push_back(name);
  }
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return natural_less(b, a); });
  names.insert(names.begin(), "cuda");
  std::vector<fs::path> folders;
  for (const std::string& name : names) folders.push_back(folder / name);
  return folders;
}

/// nvidia/cu13 and its like, and nvidia/cuda_nvcc of older wheels.
std::vector<fs::path> wheel_folders(const Scene& scene) {
  std::vector<fs::path> folders;
  for (const PythonPackages& packages : scene.pythons.packages) {
    const fs::path nvidia = packages.folder / "nvidia";
    for (const std::string& name : scene.system.list_folder(nvidia)) {
      const bool whole =
          name.starts_with("cu") && name.find_first_not_of("0123456789", 2) == std::string::npos;
      if (whole || name == "cuda_nvcc") folders.push_back(nvidia / name);
    }
  }
  return folders;
}

}  // namespace

std::vector<CudaPlace> find_cuda_places(const Scene& scene, const std::string& kind) {
  std::vector<CudaPlace> places;
  std::vector<fs::path> seen;
  const auto add = [&](CudaPlace place) {
    const bool absolute = place.folder.is_absolute();
    const fs::path real =
        absolute ? scene.system.resolve(place.folder).value_or(place.folder) : place.folder;
    if (std::find(seen.begin(), seen.end(), real) != seen.end()) return;
    seen.push_back(real);
    places.push_back(std::move(place));
  };
  bool demanded = false;
  const auto demand = [&](const std::string& origin, const std::string& text) {
    add({demanded_folder(scene.system, text), origin, text, !demanded});
    demanded = true;
  };
  if (const auto chosen = scene.options.toolkits.find(kind);
      chosen != scene.options.toolkits.end()) {
    demand(kToolkitFlag, chosen->second);
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto value = scene.system.env(variable)) demand(variable, *value);
  }
  for (const fs::path& nvcc : find_commands(scene.system, scene.pythons.path, "nvcc")) {
    // The nvcc behind it is on PATH as well, or not this machine's.
    if (is_compiler_cache(find_command_files(scene.system, nvcc).real)) continue;
    add({find_cuda_folder(scene.system, nvcc), "PATH", {}, false});
  }
  for (const char* folder : {"/usr/local", "/opt"}) {
    for (const fs::path& path : conventional_folders(scene.system, folder)) {
      add({path, folder, {}, false});
    }
  }
  if (const auto prefix = scene.system.env("CONDA_PREFIX"); prefix && prefix->starts_with('/')) {
    add({*prefix, "CONDA_PREFIX", {}, false});
  }
  for (const fs::path& folder : wheel_folders(scene)) add({folder, "Python packages", {}, false});
  return places;
}

}  // namespace dsbuild::probe
