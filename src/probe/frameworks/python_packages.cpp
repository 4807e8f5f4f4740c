#include <algorithm>

#include "base/text.h"
#include "probe/frameworks/python_home.h"
#include "probe/scene.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

/// Which Python uses a folder "python3.11"; Debian's "python3" is for whatever /usr/bin/python3 is.
Fact<Version> find_python_version(const System& system, const fs::path& prefix,
                                  const std::string& folder) {
  if (auto version = parse_python_name(folder)) {
    return Fact<Version>::known(*std::move(version), (prefix / "lib" / folder).string());
  }
  const fs::path program = prefix / "bin/python3";
  auto version = parse_python_name(system.resolve(program).value_or("").filename().string());
  return version ? Fact<Version>::known(*std::move(version), program.string())
                 : Fact<Version>::missing("no minor version in its name", program.string());
}

/// Looks for folders of packages of one environment.
struct Search {
  const System& system;
  std::vector<PythonPackages>& found;
  fs::path prefix;
  std::string found_by;
  std::optional<Version> only{};  ///< of its Pythons, where one is meant

  void add(const fs::path& folder, Fact<Version> python) const {
    if (only && python && *python != *only) return;
    const auto real = system.resolve(folder);
    const auto same = [&](const PythonPackages& other) { return other.folder == *real; };
    if (!real || std::any_of(found.begin(), found.end(), same)) return;
    found.push_back({*real, prefix, found_by, std::move(python)});
  }

  /// Below FOLDER/lib/python3*, and lib64, where Fedora's has what is compiled.
  void add_all(const fs::path& folder) const {
    for (const char* lib : {"lib", "lib64"}) {
      for (const std::string& name : system.list_folder(folder / lib)) {
        if (!name.starts_with("python3")) continue;
        for (const char* kind : {"site-packages", "dist-packages"}) {
          add(folder / lib / name / kind, find_python_version(system, prefix, name));
        }
      }
    }
  }

  /// What `pip install --user` fills: https://docs.python.org/3/library/site.html
  void add_users() const {
    if (system.env("PYTHONNOUSERSITE")) return;
    const auto home = system.env("HOME");
    const auto base = system.env("PYTHONUSERBASE");
    if (!home && !base) return;
    const fs::path program = prefix / "bin/python3";
    const fs::path real = system.resolve(program).value_or("");
    const auto version = parse_python_name(real.filename().string());
    if (!version) return;
    const fs::path folder = base ? fs::path(*base) : fs::path(*home) / ".local";
    add(folder / "lib" / ("python" + version->number()) / "site-packages",
        Fact<Version>::known(*version, program.string()));
  }

  void add_installed(const fs::path& base) const {
    add_users();
    // https://wiki.debian.org/Python#Deviations_from_upstream
    if (base == "/usr") add_all("/usr/local");
    add_all(base);
  }
};

void add_environment(const System& system, const fs::path& prefix, const std::string& found_by,
                     std::vector<PythonPackages>& found, std::optional<Version> only = {}) {
  if (!prefix.is_absolute()) return;
  const Search search{system, found, prefix, found_by, std::move(only)};
  const auto environment = read_virtual_environment(system, prefix);
  if (!environment) return search.add_installed(prefix);
  search.add_all(prefix);
  if (environment->system_packages && environment->base.is_absolute())
    search.add_installed(environment->base);
}

/// pyenv's commands are scripts that look up the version: PYENV_VERSION, else what `pyenv global`
/// wrote. (A .python-version of the current folder would make a plan depend on that folder.)
/// https://github.com/pyenv/pyenv#understanding-python-version-selection
std::optional<fs::path> find_pyenv_prefix(const System& system, const fs::path& command) {
  const fs::path root = command.parent_path().parent_path();
  if (command.parent_path().filename() != "shims" || !system.exists(root / "versions"))
    return std::nullopt;
  const auto chosen = system.env("PYENV_VERSION");
  const std::string text =
      chosen ? *chosen : system.read_file(root / "version").value_or(std::string());
  for (const std::string& version : split(text, ":\n")) {
    const fs::path prefix = root / "versions" / version;
    if (is_python_prefix(system, prefix)) return prefix;
  }
  return std::nullopt;
}

/// The environment of a python3 on PATH.
std::optional<fs::path> find_command_prefix(const System& system, const fs::path& command) {
  if (auto prefix = find_pyenv_prefix(system, command)) return prefix;
  return find_python_prefix(system, command);
}

/// --python: an environment, an interpreter, or the name of a command.
void add_demanded_python(const System& system, const std::vector<FolderListing>& path,
                         const std::string& demand, std::vector<PythonPackages>& found) {
  if (demand.find('/') == std::string::npos) {
    for (const fs::path& command : find_commands(system, path, demand)) {
      return add_demanded_python(system, path, command.string(), found);
    }
    return;
  }
  const auto status = system.status(demand);
  if (!status) return;
  if (status->is_folder()) return add_environment(system, demand, kPythonFlag, found);
  const auto prefix = find_command_prefix(system, demand);
  if (!prefix) return;
  auto version = parse_python_name(fs::path(demand).filename().string());
  if (!version) {
    const fs::path real = system.resolve(demand).value_or(demand);
    version = parse_python_name(real.filename().string());
  }
  add_environment(system, *prefix, kPythonFlag, found, std::move(version));
}

/// --torch: torch's own folder, or the one that holds it. Its Python is that of --python, else of
/// the environment around it, if there is one.
void add_demanded_torch(const System& system, const std::string& demand,
                        std::vector<PythonPackages>& found) {
  fs::path folder = demand;
  const bool package = !system.exists(folder / "torch") && folder.filename() == "torch";
  const auto site = system.resolve(package ? folder.parent_path() : folder);
  if (!site) return;
  const auto python = [&found] {
    return std::find_if(found.begin(), found.end(), [](const PythonPackages& packages) {
      return packages.found_by == kPythonFlag;
    });
  }();
  PythonPackages packages{*site, {}, kTorchFlag, {}};
  const fs::path around = site->parent_path().parent_path().parent_path();
  if (python != found.end()) {
    packages.prefix = python->prefix;
    packages.python = python->python;
  } else if (site->parent_path().filename().string().starts_with("python3") &&
             is_python_prefix(system, around)) {
    packages.prefix = around;
    packages.python = find_python_version(system, around, site->parent_path().filename().string());
  } else {
    packages.python = Fact<Version>::missing("no Python is around it", site->string());
  }
  std::erase_if(found, [&](const PythonPackages& other) { return other.folder == *site; });
  found.insert(found.begin(), std::move(packages));
}

}  // namespace

std::vector<PythonPackages> find_python_packages(const System& system,
                                                 const std::vector<FolderListing>& path,
                                                 const ProbeOptions& options) {
  std::vector<PythonPackages> found;
  if (!options.python.empty()) add_demanded_python(system, path, options.python, found);
  if (!options.torch.empty()) add_demanded_torch(system, options.torch, found);
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const auto prefix = system.env(variable)) {
      add_environment(system, *prefix, variable, found);
    }
  }
  for (const fs::path& python : find_commands(system, path, "python3")) {
    if (const auto prefix = find_command_prefix(system, python))
      add_environment(system, *prefix, "PATH", found);
  }
  return found;
}

}  // namespace dsbuild::probe
