#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "probe/frameworks/frameworks.h"
#include "probe/frameworks/python_home.h"
#include "probe/frameworks/torch_files.h"
#include "probe/sources.h"
#include "probe/toolchains/command_files.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

bool is_demand(std::string_view found_by) {
  return found_by == kTorchFlag || found_by == kPythonFlag;
}

/// "python3.13t" of "_C.cpython-313t-x86_64-linux-gnu.so": the Python that can import this torch.
std::optional<std::string> find_extension_python(const System& system, const fs::path& folder) {
  constexpr std::string_view kMark = "_C.cpython-3";
  for (const std::string& name : system.list_folder(folder)) {
    if (!name.starts_with(kMark) || !name.ends_with(".so")) continue;
    const auto end = name.find('-', kMark.size());
    if (end == std::string::npos) continue;
    return "python3." + name.substr(kMark.size(), end - kMark.size());
  }
  return std::nullopt;
}

/// The environment whose Python imports from this folder: its own, else the first with a Python of
/// that version.
fs::path find_prefix(const std::vector<PythonPackages>& all, const PythonPackages& packages,
                     const Version& python) {
  if (!packages.prefix.empty()) return packages.prefix;
  for (const PythonPackages& other : all) {
    if (!other.prefix.empty() && other.python && *other.python == python) return other.prefix;
  }
  return {};
}

void add_python(const System& system, const std::vector<PythonPackages>& all,
                const PythonPackages& packages, Torch& torch) {
  auto name = find_extension_python(system, torch.path);
  if (!name && packages.python) name = "python" + packages.python->number();
  const auto version = name ? parse_python_name(*name) : std::nullopt;
  if (!version) {
    torch.python = packages.python;
    torch.interpreter = torch.python_include = torch.extension_suffix =
        Fact<std::string>::missing("which Python imports it is not known", torch.path);
    return;
  }
  torch.python = packages.python ? packages.python : Fact<Version>::known(*version, torch.path);
  const fs::path prefix = find_prefix(all, packages, *version);
  torch.prefix = prefix.string();
  if (prefix.empty()) {
    torch.interpreter = torch.python_include = torch.extension_suffix = Fact<std::string>::missing(
        fmt::format("no {} is known: name it with {}", *name, kPythonFlag), torch.path);
    return;
  }
  PythonHome home = find_python_home(system, prefix, *name);
  torch.interpreter = std::move(home.interpreter);
  torch.python_include = std::move(home.include);
  torch.extension_suffix = std::move(home.extension_suffix);
}

/// Of all folders of the same environment.
std::map<std::string, Fact<Version>> find_packages_beside(const Scene& scene,
                                                          const PythonPackages& packages) {
  std::map<std::string, Fact<Version>> found;
  for (const std::string& name : scene.options.python_packages) {
    Fact<Version>& fact = found[name];
    fact = Fact<Version>::missing("not installed", packages.folder.string());
    for (const PythonPackages& other : scene.pythons.packages) {
      const bool beside = other.folder == packages.folder ||
                          (!packages.prefix.empty() && other.prefix == packages.prefix);
      if (!beside || fact) continue;
      if (auto version = find_package_version(scene.system, other.folder, name))
        fact = *std::move(version);
    }
  }
  return found;
}

/// What decides whether an extension must be built anew: what torch and what Python it is. Headers
/// that are included are in the compiler's own list.
std::string make_torch_identity(const System& system, const Torch& torch) {
  std::vector<fs::path> files{fs::path(torch.path) / "version.py"};
  if (torch.python_include) files.push_back(fs::path(*torch.python_include) / "patchlevel.h");
  for (const std::string& name : system.list_folder(torch.lib)) {
    const bool linked = name.starts_with("libtorch") || name.starts_with("libc10");
    if (linked && name.ends_with(".so")) files.push_back(fs::path(torch.lib) / name);
  }
  return make_identity(
      system, files,
      join({torch.version ? torch.version->text : "", torch.python ? torch.python->number() : "",
            torch.extension_suffix.value.value_or("")},
           " "));
}

Torch read_torch_in(const System& system, const std::vector<PythonPackages>& all,
                    const PythonPackages& packages) {
  Torch torch;
  torch.prefix = packages.prefix.string();
  torch.site = packages.folder.string();
  torch.path = (packages.folder / "torch").string();
  torch.origin = packages.found_by;
  torch.demanded = is_demand(packages.found_by);
  read_torch_files(system, torch);
  add_python(system, all, packages, torch);
  torch.identity = make_torch_identity(system, torch);
  return torch;
}

void name_torches(std::vector<Torch>& torches) {
  std::map<std::string, int> seen;
  for (Torch& torch : torches) {
    torch.id = torch.version ? "torch-" + torch.version->text : "torch";
    const int count = ++seen[torch.id];
    if (count > 1) torch.id += fmt::format("#{}", count);
  }
}

/// What was named and has no torch, with where it was looked for; empty when none is missing.
std::optional<Torch> find_missing_demand(const System& system, const ProbeOptions& options,
                                         const std::vector<PythonPackages>& python_packages,
                                         const std::vector<Torch>& found) {
  const bool by_torch = !options.torch.empty();
  const std::string& named = by_torch ? options.torch : options.python;
  const char* flag = by_torch ? kTorchFlag : kPythonFlag;
  if (named.empty() || (!found.empty() && found.front().origin == flag)) return std::nullopt;
  std::vector<std::string> looked;
  for (const PythonPackages& packages : python_packages) {
    if (packages.found_by == flag) looked.push_back((packages.folder / "torch").string());
  }
  Torch torch;
  torch.origin = flag;
  torch.path = named;
  torch.demanded = true;
  std::string reason = "no Python environment is there";
  if (!looked.empty()) {
    reason = "no version.py in " + join(looked, ", ");
  } else if (named.find('/') == std::string::npos) {
    reason = "no such command on PATH";
  } else if (!system.exists(named)) {
    reason = "no such file or folder";
  }
  torch.version = Fact<Version>::missing(std::move(reason), named);
  torch.python = torch.cuda = torch.hip = torch.xpu = Fact<Version>::missing("no torch", named);
  torch.interpreter = torch.python_include = torch.extension_suffix = torch.cxx11_abi =
      Fact<std::string>::missing("no torch", named);
  return torch;
}

}  // namespace

std::vector<Torch> find_torches(const System& system, const ProbeOptions& options,
                                const std::vector<PythonPackages>& python_packages) {
  std::vector<Torch> found;
  for (const PythonPackages& packages : python_packages) {
    if (!system.exists(packages.folder / "torch/version.py")) continue;
    Torch torch = read_torch_in(system, python_packages, packages);
    if (torch.version) found.push_back(std::move(torch));
  }
  // One for a Python that isn't there any more comes last.
  std::stable_partition(found.begin(), found.end(),
                        [](const Torch& torch) { return torch.demanded || torch.interpreter; });
  if (auto missing = find_missing_demand(system, options, python_packages, found))
    found.insert(found.begin(), *std::move(missing));
  name_torches(found);
  return found;
}

std::vector<Torch> find_torches_with_packages(const Scene& scene) {
  std::vector<Torch> torches = scene.pythons.torches;
  for (Torch& torch : torches) {
    for (const PythonPackages& packages : scene.pythons.packages) {
      if (packages.folder == torch.site) torch.packages = find_packages_beside(scene, packages);
    }
  }
  return torches;
}

}  // namespace dsbuild::probe
