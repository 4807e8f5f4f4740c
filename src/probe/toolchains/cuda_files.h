// The files of a CUDA toolkit in all its layouts, and what they say without running anything.
// Knows NVIDIA's file names and headers, not who looks for toolkits or where.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fact.h"
#include "base/system.h"
#include "base/version.h"

namespace dsbuild::probe {

/// A toolkit's parts; a path is empty when the part is missing.
struct CudaFiles {
  std::filesystem::path folder;
  std::filesystem::path nvcc;
  std::filesystem::path ptxas;
  std::filesystem::path include;             ///< the folder with cuda_runtime.h
  std::filesystem::path host_config;         ///< crt/host_config.h
  std::filesystem::path lib;                 ///< the folder with libcudart
  std::vector<std::string> missing;          ///< names of missing parts, relative to the toolkit
  std::vector<std::filesystem::path> marks;  ///< the parts found, whose change is another toolkit
};

/// Looks for the parts of a toolkit in `folder`: NVIDIA's own layout (lib64 or lib, or
/// targets/<triple> as conda has it), wheels (nvidia/cu13; nvidia/cuda_nvcc with its sibling
/// cuda_runtime) and Debian's (headers and ptxas below /usr). Without any part `marks` is empty.
CudaFiles find_cuda_files(const System& system, const std::filesystem::path& folder,
                          std::string_view machine);

/// The toolkit that an nvcc belongs to: what its wrapper script starts, then TOP of nvcc.profile
/// beside it, then the parent of its bin.
std::filesystem::path find_cuda_folder(const System& system, const std::filesystem::path& nvcc);

/// The version as the toolkit's files tell it: version.json, cuda.h, then the dist-info of the
/// wheel that it came from (which also gives the patch level that cuda.h leaves open).
Fact<Version> find_cuda_version(const System& system, const CudaFiles& files);

/// Host compilers that the toolkit takes, from the tests in crt/host_config.h: {"gcc": "<16"}.
std::map<std::string, VersionRange> parse_host_limits(std::string_view host_config);

/// {13, 0} of `#define CUDA_VERSION 13000`.
std::optional<Version> parse_cuda_h(std::string_view header);

/// The values in the help text of nvcc or ptxas for one option ("--gpu-architecture").
std::vector<std::string> parse_allowed_values(std::string_view help, std::string_view option);

}  // namespace dsbuild::probe
