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

  void add(const fs::path& folder, Fact<Version> python) const {
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
                     std::vector<PythonPackages>& found) {
  if (!prefix.is_absolute()) return;
  const Search search{system, found, prefix, found_by};
  const auto environment = read_virtual_environment(system, prefix);
  if (!environment) return search.add_installed(prefix);
  search.add_all(prefix);
  if (environment->system_packages && environment->base.is_absolute())
    search.add_installed(environment->base);
}

}  // namespace

std::vector<PythonPackages> find_python_packages(const System& system,
                                                 const std::vector<FolderListing>& path) {
  std::vector<PythonPackages> found;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const auto prefix = system.env(variable)) {
      add_environment(system, *prefix, variable, found);
    }
  }
  for (const fs::path& python : find_commands(system, path, "python3")) {
    add_environment(system, python.parent_path().parent_path(), "PATH", found);
  }
  return found;
}

}  // namespace dsbuild::probe
