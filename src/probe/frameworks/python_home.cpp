#include "probe/frameworks/python_home.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "probe/frameworks/python_values.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

using Text = Fact<std::string>;

bool has_python_library(const System& system, const fs::path& prefix) {
  for (const char* lib : {"lib", "lib64"}) {
    const auto names = system.list_folder(prefix / lib);
    if (std::any_of(names.begin(), names.end(),
                    [](const std::string& name) { return name.starts_with("python3"); })) {
      return true;
    }
  }
  return false;
}

/// PREFIX/bin/python3 where that is the Python called `name`, else PREFIX/bin/NAME.
Text find_interpreter(const System& system, const fs::path& prefix, const std::string& name) {
  const fs::path bin = prefix / "bin";
  for (const std::string& candidate : {std::string("python3"), name, std::string("python")}) {
    const fs::path path = bin / candidate;
    const auto status = system.status(path);
    if (!status || !status->is_file() || !status->executable) continue;
    const auto real = parse_python_name(system.resolve(path).value_or(path).filename().string());
    if (real && real != parse_python_name(name)) continue;
    return Text::known(path.string(), path.string());
  }
  return Text::missing(fmt::format("no {} that can be started", name), bin.string());
}

/// The file that sysconfig reads. Debian has two, of one content; a debug build's has a "d" after
/// the first underscores. https://docs.python.org/3/library/sysconfig.html
std::optional<fs::path> find_sysconfig(const System& system, const fs::path& base,
                                       const std::string& name) {
  for (const char* lib : {"lib", "lib64"}) {
    const fs::path folder = base / lib / name;
    for (const std::string& file : system.list_folder(folder)) {
      const bool debug = file.starts_with("_sysconfigdata_d_");
      if (file.starts_with("_sysconfigdata_") && file.ends_with(".py") && !debug)
        return folder / file;
    }
  }
  return std::nullopt;
}

Text read_entry(const std::string& text, const char* name, const fs::path& file) {
  const auto value = parse_python_entry(text, name);
  if (value && value->is_string()) return Text::known(value->get<std::string>(), file.string());
  return Text::missing(fmt::format("no {}", name), file.string());
}

/// By the place, as sysconfig does: what INCLUDEPY says is where it was built, which a Python that
/// was unpacked elsewhere still names.
Text find_include(const System& system, const fs::path& base, const std::string& name,
                  const Text& built_with) {
  std::vector<fs::path> folders{base / "include" / name};
  if (built_with) folders.emplace_back(*built_with);
  for (const fs::path& folder : folders) {
    const fs::path header = folder / "Python.h";
    if (system.exists(header)) return Text::known(folder.string(), header.string());
  }
  const bool of_the_system = base == "/usr";
  return Text::missing(of_the_system
                           ? fmt::format("no Python.h: install {}-dev (Debian, Ubuntu) or {}-devel "
                                         "(Fedora, SUSE)",
                                         name, name)
                           : "no Python.h: this Python came without its headers",
                       folders.front().string());
}

}  // namespace

std::optional<Version> parse_python_name(std::string_view name) {
  constexpr std::string_view kPython = "python";
  if (!name.starts_with(kPython)) return std::nullopt;
  auto version = Version::parse(name.substr(kPython.size()));
  return version && version->parts.size() > 1 ? version : std::nullopt;
}

std::optional<VirtualEnvironment> read_virtual_environment(const System& system,
                                                           const fs::path& prefix) {
  const auto text = system.read_file(prefix / "pyvenv.cfg");
  if (!text) return std::nullopt;
  VirtualEnvironment environment;
  for (const std::string& line : split_lines(*text)) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    const auto key = trim(std::string_view(line).substr(0, equals));
    const auto value = trim(std::string_view(line).substr(equals + 1));
    if (key == "include-system-site-packages") environment.system_packages = value == "true";
    if (key != "home" || !value.starts_with('/')) continue;
    const fs::path home(value);
    environment.base = home.parent_path();
    if (has_python_library(system, environment.base)) continue;
    // /usr/local/bin/python3 may be a link to where the Python is.
    if (const auto real = system.resolve(home / "python3")) {
      environment.base = real->parent_path().parent_path();
    }
  }
  return environment;
}

bool is_python_prefix(const System& system, const fs::path& prefix) {
  return system.exists(prefix / "pyvenv.cfg") || has_python_library(system, prefix);
}

std::optional<fs::path> find_python_prefix(const System& system, const fs::path& interpreter) {
  // Without following the link at first: a virtual environment's leads to the Python it was made
  // with.
  std::vector<fs::path> programs{interpreter};
  if (auto real = system.resolve(interpreter)) programs.push_back(*std::move(real));
  for (const fs::path& program : programs) {
    const fs::path prefix = program.parent_path().parent_path();
    if (is_python_prefix(system, prefix)) return prefix;
  }
  return std::nullopt;
}

PythonHome find_python_home(const System& system, const fs::path& prefix, const std::string& name) {
  PythonHome home;
  home.interpreter = find_interpreter(system, prefix, name);
  const auto environment = read_virtual_environment(system, prefix);
  const fs::path base = environment ? environment->base : prefix;
  const auto file = find_sysconfig(system, base, name);
  const auto text = file ? system.read_file(*file) : std::nullopt;
  if (text) {
    home.extension_suffix = read_entry(*text, "EXT_SUFFIX", *file);
    home.include = find_include(system, base, name, read_entry(*text, "INCLUDEPY", *file));
  } else {
    home.extension_suffix = Text::missing("no _sysconfigdata_*.py", (base / "lib" / name).string());
    home.include = find_include(system, base, name, Text::missing("not read"));
  }
  return home;
}

}  // namespace dsbuild::probe
