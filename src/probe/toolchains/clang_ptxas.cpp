#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "probe/demand.h"
#include "probe/sources.h"
#include "probe/toolchains/command_files.h"
#include "probe/toolchains/cuda_files.h"
#include "probe/toolchains/cuda_places.h"
#include "probe/toolchains/ptx.h"
#include "probe/toolchains/toolchains.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

/// Clang 14 is the oldest that was tried with freestanding kernels.
constexpr int kOldestClang = 14;

/// How to find a clang that compiles for NVIDIA GPUs, in the words of a descriptor.
manifest::ToolchainProbe clang_probe() {
  manifest::ToolchainProbe probe;
  probe.kind = "clang";  // so that --toolkit clang=PATH chooses this one too
  probe.tool = "cxx";
  probe.commands = {"clang++"};
  probe.versioned = true;
  probe.version_argv = {"--version"};
  probe.version_regex = "clang version ([0-9]+(\\.[0-9]+)*)";
  probe.newest = true;
  probe.archs_argv = {"--print-supported-cpus", "--target=nvptx64"};
  probe.archs_regex = "^\\s+(sm_[0-9]+[a-z]?)\\s*$";
  return probe;
}

/// A ptxas and the rule that found it.
struct Ptxas {
  fs::path command;
  std::string origin;
  bool demanded = false;
};

/// Those that the user names, those on PATH, of toolkits and in wheels; each real file once.
std::vector<Ptxas> find_ptxas(const Scene& scene, const std::string& demanded) {
  std::vector<Ptxas> found;
  std::vector<fs::path> seen;
  const auto add = [&](const fs::path& command, const std::string& origin) {
    const auto status = scene.system.status(command);
    if (!status || !status->executable) return;
    const fs::path real = find_command_files(scene.system, command).real;
    if (std::find(seen.begin(), seen.end(), real) != seen.end()) return;
    seen.push_back(real);
    found.push_back({command, origin, origin == kToolkitFlag});
  };
  if (!demanded.empty()) {
    const fs::path path = demanded;
    for (const fs::path& place : {path, path / "bin/ptxas", path / "ptxas"})
      add(place, kToolkitFlag);
  }
  for (const fs::path& command : find_commands(scene.system, scene.pythons.path, "ptxas")) {
    add(find_command_files(scene.system, command).real, "PATH");
  }
  for (const CudaPlace& place : find_cuda_places(scene, "nvcc")) {
    if (place.folder.is_absolute()) add(place.folder / "bin/ptxas", place.origin);
  }
  for (const PythonPackages& packages : scene.pythons.packages) {
    add(packages.folder / "triton/backends/nvidia/bin/ptxas", "Python packages");
  }
  return found;
}

/// What a toolkit's files say of the ptxas in its bin, else what it says itself.
Fact<Version> find_ptxas_version(const Scene& scene, const fs::path& ptxas) {
  const fs::path folder = ptxas.parent_path().parent_path();
  const CudaFiles files = find_cuda_files(scene.system, folder, scene.machine);
  if (files.ptxas == ptxas) {
    if (auto version = find_cuda_version(scene.system, files)) return version;
  }
  return parse_version_answer(scene.answers.ask(ptxas, {"--version"}),
                              Pattern("release ([0-9]+\\.[0-9]+)"), ptxas.string() + " --version");
}

/// Adds the assembler to a clang: the archs and the PTX version that both know.
Toolchain join_ptxas(const Scene& scene, const manifest::Accelerator& accelerator,
                     Toolchain toolchain, const Ptxas& ptxas) {
  toolchain.origin = ptxas.origin;
  toolchain.demanded = ptxas.demanded;
  toolchain.values["ptxas"] = ptxas.command.string();
  if (!toolchain.missing.empty()) {
    toolchain.path = ptxas.command.string();
    set_state(toolchain);
    return toolchain;
  }
  const Fact<Version> version = find_ptxas_version(scene, ptxas.command);
  const ProcessResult help = scene.answers.ask(ptxas.command, {"--help"});
  const auto offered =
      parse_archs(accelerator, parse_allowed_values(help.out, "--gpu-name"), scene.machine);
  if (!version || offered.empty()) {
    toolchain.missing.push_back(
        fmt::format("{} ({})", ptxas.command.string(),
                    version ? "its archs: --help says: " + describe_answer(help) : version.reason));
    set_state(toolchain);
    return toolchain;
  }
  std::vector<std::string> common;
  for (const std::string& arch : toolchain.archs) {
    if (std::find(offered.begin(), offered.end(), arch) != offered.end()) common.push_back(arch);
  }
  if (common.empty()) {
    toolchain.missing.push_back("an arch that it and " + ptxas.command.string() + " both know");
    set_state(toolchain);
  }
  toolchain.archs = std::move(common);
  Version ptx = ptx_of_cuda(*version);
  if (const auto limit = ptx_of_clang(*toolchain.version); limit && *limit < ptx) ptx = *limit;
  toolchain.values["ptx"] = render_ptx(ptx);
  toolchain.values["ptx_release"] = cuda_of_ptx(ptx).number();
  toolchain.values["ptxas_major"] = std::to_string(version->part(0));
  toolchain.values["ptxas_version"] = fmt::format("{}.{}", version->part(0), version->part(1));
  const auto files = find_command_files(scene.system, ptxas.command).files;
  toolchain.identity = make_identity(scene.system, files, toolchain.identity + version->text);
  return toolchain;
}

/// The newest clang that will do, or one that says what is missing.
Toolchain find_clang(const Scene& scene, const manifest::Accelerator& accelerator,
                     const std::string& kind) {
  const manifest::ToolchainProbe probe = clang_probe();
  auto found = find_newest_toolchain(scene, accelerator, probe);
  for (Toolchain& clang : found) {
    if (clang.state != ToolchainState::complete) continue;
    if (clang.version->major_part() < kOldestClang) continue;
    clang.kind = kind;
    return clang;
  }
  Toolchain none;
  none.kind = kind;
  none.version =
      Fact<Version>::missing(found.front().version ? found.front().path + " knows no NVIDIA GPUs"
                                                   : found.front().version.reason);
  none.missing.push_back(fmt::format("clang++ {} or newer, with the target nvptx64 ({})",
                                     kOldestClang, none.version.reason));
  return none;
}

}  // namespace

std::vector<Toolchain> find_clang_ptxas(const Scene& scene,
                                        const manifest::Accelerator& accelerator,
                                        const manifest::ToolchainProbe& probe) {
  const auto chosen = scene.options.toolkits.find(probe.kind);
  const std::string demanded =
      chosen == scene.options.toolkits.end() ? std::string() : chosen->second;
  const Toolchain clang = find_clang(scene, accelerator, probe.kind);
  const std::vector<Ptxas> assemblers = find_ptxas(scene, demanded);
  std::vector<Toolchain> toolchains;
  if (!demanded.empty() && (assemblers.empty() || !assemblers.front().demanded)) {
    toolchains.push_back(
        make_absent(probe.kind, demanded,
                    fmt::format("{} {}={} holds no ptxas", kToolkitFlag, probe.kind, demanded),
                    kToolkitFlag, true));
  }
  for (const Ptxas& ptxas : assemblers) {
    toolchains.push_back(join_ptxas(scene, accelerator, clang, ptxas));
  }
  if (assemblers.empty()) {
    Toolchain toolchain = clang;
    if (clang.path.empty()) {
      toolchain = make_absent(probe.kind, {}, "neither a clang++ nor a ptxas", "PATH", false);
    } else {
      toolchain.missing.push_back("ptxas on PATH, in a CUDA toolkit or in Python packages");
      set_state(toolchain);
    }
    toolchains.push_back(std::move(toolchain));
  }
  order_toolchains(toolchains, probe.newest);
  return toolchains;
}

}  // namespace dsbuild::probe
