// The sources of facts that the probe asks, one small file each. Knows their names only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/fact.h"
#include "base/version.h"
#include "manifest/catalog.h"
#include "probe/machine.h"
#include "probe/scene.h"

namespace dsbuild::probe {

/// Files of the root; with `same_host` also uname and the affinity mask of this process.
Host find_host(const System& system, bool same_host);
/// CPUID with `same_host`, else /proc/cpuinfo of the root, both in the names of src/cpu.
Cpu find_cpu(const System& system, bool same_host);

/// PCI devices that a descriptor's rule takes, by address.
std::vector<Device> find_devices(const System& system, const manifest::Catalog& catalog);

/// Devices that are on no bus: a Jetson's, and the one behind which WSL has the host's.
std::vector<Device> find_platform_devices(const System& system);

/// What files of drivers say of devices: which one is bound and whether it started, the NUMA node,
/// and what the sources that read files know. Adds devices that are on no bus.
void add_driver_facts(const System& system, const manifest::Catalog& catalog,
                      std::vector<Device>& devices);

/// What of the catalog's accelerators is here, by their descriptors' rules and by the devices and
/// toolchains of `machine`. Starts nothing and loads no library.
AcceleratorStates find_accelerators(const Scene& scene, const Machine& machine);

/// Toolchains of one kind that its descriptor describes, the chosen one first; never empty (an
/// absent one says where it was looked for).
std::vector<Toolchain> find_command_toolchains(const Scene& scene,
                                               const manifest::Accelerator& accelerator,
                                               const manifest::ToolchainProbe& probe);
/// The demanded one, else the newest of them that is complete, last; before it those that are newer
/// and not. The archs of older ones are not asked for.
std::vector<Toolchain> find_newest_toolchain(const Scene& scene,
                                             const manifest::Accelerator& accelerator,
                                             const manifest::ToolchainProbe& probe);
/// NVIDIA's toolkits: nvcc with its parts.
std::vector<Toolchain> find_cuda_toolkits(const Scene& scene,
                                          const manifest::Accelerator& accelerator,
                                          const manifest::ToolchainProbe& probe);
/// A clang that knows nvptx, with a ptxas: CUDA images without a toolkit.
std::vector<Toolchain> find_clang_ptxas(const Scene& scene,
                                        const manifest::Accelerator& accelerator,
                                        const manifest::ToolchainProbe& probe);

/// ninja, git, and the commands that the catalog's ops need, by name; for a survey build helpers
/// with their versions too.
std::vector<Tool> find_tools(const Scene& scene);
/// Frameworks of all Python environments, libraries, limits. `toolchains`: their headers and
/// libraries count too.
Survey find_survey(const Scene& scene, const std::vector<Toolchain>& toolchains);
/// Compiles and links a file with each library of the survey that is all there, by the host's
/// toolchain, side by side. What worked is remembered with the tools' answers.
void try_libraries(const Scene& scene, Machine& machine);
/// The installed PyTorches, by file alone: no Python is started, nothing is imported. The chosen
/// one is first; where one was demanded and isn't there, its version says what was looked at.
std::vector<Torch> find_torches(const System& system, const ProbeOptions& options,
                                const std::vector<PythonPackages>& python_packages);
/// Those of the scene, with the packages beside them that the options ask for.
std::vector<Torch> find_torches_with_packages(const Scene& scene);
/// The pkg-config packages that the catalog's ops need.
std::map<std::string, Fact<Version>> find_packages(const Scene& scene);

}  // namespace dsbuild::probe
