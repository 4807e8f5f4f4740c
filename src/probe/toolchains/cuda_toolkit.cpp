#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "probe/sources.h"
#include "probe/toolchains/command_files.h"
#include "probe/toolchains/cuda_files.h"
#include "probe/toolchains/cuda_places.h"
#include "probe/toolchains/toolchains.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

/// "Cuda compilation tools, release 13.0, V13.0.88": the number after V, else the release.
constexpr const char* kPatchRegex = "release [0-9]+\\.[0-9]+, V([0-9]+\\.[0-9]+(\\.[0-9]+)*)";
constexpr const char* kReleaseRegex = "release ([0-9]+\\.[0-9]+)";

/// Only where no file says the version.
Fact<Version> ask_version(const Scene& scene, const CudaFiles& files) {
  const ProcessResult answer = scene.answers.ask(files.nvcc, {"--version"}, files.marks);
  const std::string source = files.nvcc.string() + " --version";
  auto version = parse_version_answer(answer, Pattern(kPatchRegex), source);
  if (!version) version = parse_version_answer(answer, Pattern(kReleaseRegex), source);
  if (!version) version.reason = fmt::format("nvcc at {}: {}", files.nvcc.string(), version.reason);
  return version;
}

/// `--list-gpu-arch` says no form with a suffix (sm_90a, sm_100f): those stand only in the help
/// text, beside some that the list has too.
void find_archs(const Scene& scene, const manifest::Accelerator& accelerator,
                const CudaFiles& files, Toolchain& toolchain) {
  const ProcessResult list = scene.answers.ask(files.nvcc, {"--list-gpu-arch"}, files.marks);
  std::vector<std::string> spellings;
  for (const std::string& word : split(list.ok() ? list.out : "", " \t\r\n")) {
    if (word.starts_with("compute_")) spellings.push_back(word);
  }
  if (spellings.empty()) {
    toolchain.missing.push_back(
        fmt::format("list of archs (nvcc --list-gpu-arch says: {})", describe_answer(list)));
    return;
  }
  const ProcessResult help = scene.answers.ask(files.nvcc, {"--help"}, files.marks);
  for (const std::string& value : parse_allowed_values(help.out, "--gpu-architecture")) {
    const bool suffixed = !value.empty() && (value.back() < '0' || value.back() > '9');
    if (value.starts_with("sm_") && suffixed) spellings.push_back(value);
  }
  toolchain.archs = parse_archs(accelerator, spellings, scene.machine);
}

void ask_nvcc(const Scene& scene, const manifest::Accelerator& accelerator, const CudaFiles& files,
              Toolchain& toolchain) {
  if (!toolchain.version) {
    toolchain.version = ask_version(scene, files);
    // An nvcc that hangs or can't say what it is isn't asked more.
    if (!toolchain.version) {
      toolchain.missing.push_back(toolchain.version.reason);
      return;
    }
  }
  find_archs(scene, accelerator, files, toolchain);
}

/// What `-l` takes. Wheels have the library by its soname alone, which no `-lcudart` finds.
std::string find_cudart(const System& system, const CudaFiles& files) {
  if (!system.exists(files.lib / "libcudart.so")) {
    for (const std::string& name : system.list_folder(files.lib)) {
      if (name.starts_with("libcudart.so.")) return ":" + name;
    }
  }
  return "cudart";
}

void fill_values(const System& system, const CudaFiles& files, Toolchain& toolchain) {
  const auto set = [&](const char* name, const fs::path& path) {
    if (!path.empty()) toolchain.values[name] = path.string();
  };
  set("toolkit", files.folder);
  set("toolkit_include", files.include);
  set("toolkit_lib", files.lib);
  set("nvcc", files.nvcc);
  set("ptxas", files.ptxas);
  if (!files.lib.empty()) toolchain.values["cudart"] = find_cudart(system, files);
  if (toolchain.version) {
    toolchain.values["major"] = std::to_string(toolchain.version->part(0));
    toolchain.values["minor"] = std::to_string(toolchain.version->part(1));
  }
}

Toolchain no_toolkit(const System& system, const std::string& kind, const CudaPlace& place) {
  const char* problem = !place.folder.is_absolute()    ? "is no absolute path"
                        : !system.exists(place.folder) ? "doesn't exist"
                                                       : "has no bin/nvcc";
  return make_absent(kind, place.folder.string(),
                     fmt::format("{}={} {}", place.origin, place.text, problem), place.origin,
                     place.demanded);
}

Toolchain inspect(const Scene& scene, const manifest::Accelerator& accelerator,
                  const std::string& kind, const CudaPlace& place) {
  CudaFiles files;
  if (place.folder.is_absolute()) {
    files = find_cuda_files(scene.system, place.folder, scene.machine);
  }
  if (files.marks.empty()) return no_toolkit(scene.system, kind, place);
  Toolchain toolchain;
  toolchain.kind = kind;
  toolchain.path = (files.nvcc.empty() ? place.folder : files.nvcc).string();
  toolchain.origin = place.origin;
  toolchain.demanded = place.demanded;
  toolchain.missing = files.missing;
  toolchain.version = find_cuda_version(scene.system, files);
  if (!files.nvcc.empty()) ask_nvcc(scene, accelerator, files, toolchain);
  if (!files.host_config.empty()) {
    toolchain.host_limits =
        parse_host_limits(scene.system.read_file(files.host_config).value_or(""));
  }
  fill_values(scene.system, files, toolchain);
  set_state(toolchain);
  toolchain.identity = make_identity(scene.system, files.marks,
                                     toolchain.version ? toolchain.version->text : std::string());
  return toolchain;
}

}  // namespace

std::vector<Toolchain> find_cuda_toolkits(const Scene& scene,
                                          const manifest::Accelerator& accelerator,
                                          const manifest::ToolchainProbe& probe) {
  std::vector<Toolchain> toolchains;
  for (const CudaPlace& place : find_cuda_places(scene, probe.kind)) {
    Toolchain toolchain = inspect(scene, accelerator, probe.kind, place);
    // What nobody named and is no toolkit is nothing.
    if (toolchain.state != ToolchainState::absent || !place.text.empty()) {
      toolchains.push_back(std::move(toolchain));
    }
  }
  if (toolchains.empty()) {
    toolchains.push_back(
        make_absent(probe.kind, {},
                    "CUDA_HOME and CUDA_PATH are not set, no nvcc on PATH, nothing in "
                    "/usr/local/cuda*, /opt/cuda* or Python packages",
                    "PATH", false));
  }
  order_toolchains(toolchains, probe.newest);
  return toolchains;
}

}  // namespace dsbuild::probe
