// Parts of fake machines: compilers, CUDA toolkits, PCI devices, as far as dsbuild looks at them.
// Knows what the real ones answer and where they lie, not what dsbuild makes of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machines/fake_root.h"

namespace dsbuild::machines {

/// os-release, kernel, memory of 64 GiB, 16 CPUs, and the dynamic loader of the machine's glibc.
void add_host(FakeRoot& root, std::string_view machine = "x86_64");

/// A g++ that answers -dumpfullversion and --version.
void add_gcc(FakeRoot& root, std::string_view path, std::string_view version);

/// A clang++ that answers --version and lists AMD and NVIDIA targets: those that clang 19 has, or
/// older ones up to gfx90a and sm_86 before 16. With `lld`, an ld.lld beside it.
void add_clang(FakeRoot& root, std::string_view path, std::string_view version, bool lld = true);

/// The archs that nvcc of CUDA 13.0 and of 11.0 list, in nvcc's own order.
extern const std::vector<std::string> kArchs130;
extern const std::vector<std::string> kArchs110;

/// A whole toolkit in NVIDIA's layout below `folder`: nvcc, ptxas, cicc, headers, libcudart.
/// `archs` are numbers ("90"); the help text also has "90a", "100f" of those that have such forms.
struct CudaToolkit {
  std::string folder = "/usr/local/cuda-13.0";
  std::string release = "13.0";  ///< major.minor
  std::string patch = "88";
  std::vector<std::string> archs = kArchs130;
  int last_gcc = 15;                ///< the newest GCC that host_config.h takes
  int first_clang = 21;             ///< the first clang that it refuses
  std::string include = "include";  ///< below the folder
  std::string lib = "lib64";
  bool version_json = true;
};
void add_cuda(FakeRoot& root, const CudaToolkit& toolkit);

/// nvcc alone, as a tool that answers --version, --list-gpu-arch and --help.
void add_nvcc(FakeRoot& root, std::string_view path, const CudaToolkit& toolkit);
/// ptxas alone: --version and --help.
void add_ptxas(FakeRoot& root, std::string_view path, const CudaToolkit& toolkit);

/// A tool that prints `text` and ends with `status`, whatever it is asked.
void add_printing_tool(FakeRoot& root, std::string_view path, std::string_view text,
                       int status = 0);

/// A PCI function: ids and class as sysfs writes them ("0x10de", "0x2330", "0x030200").
void add_pci(FakeRoot& root, std::string_view address, std::string_view vendor,
             std::string_view device, std::string_view device_class);

}  // namespace dsbuild::machines
