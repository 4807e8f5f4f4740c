// Where a Python has what extension modules need, by its files. Knows the layouts of installed
// Pythons and virtual environments; starts none.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/fact.h"
#include "base/system.h"
#include "base/version.h"

namespace dsbuild::probe {

/// What pyvenv.cfg says. https://docs.python.org/3/library/site.html
struct VirtualEnvironment {
  std::filesystem::path base;    ///< the prefix of the Python that it was made with
  bool system_packages = false;  ///< it sees the base's packages, too
};

/// Empty when `prefix` is that of an installed Python.
std::optional<VirtualEnvironment> read_virtual_environment(const System& system,
                                                           const std::filesystem::path& prefix);

/// Whether a Python's library or a pyvenv.cfg lies below it.
bool is_python_prefix(const System& system, const std::filesystem::path& prefix);

/// The prefix that an interpreter of that path would take; empty when there is none.
std::optional<std::filesystem::path> find_python_prefix(const System& system,
                                                        const std::filesystem::path& interpreter);

/// "3.11" of "python3.11"; "python3" has no minor version and is none.
std::optional<Version> parse_python_name(std::string_view name);

struct PythonHome {
  Fact<std::string> interpreter;
  Fact<std::string> include;           ///< the folder of Python.h
  Fact<std::string> extension_suffix;  ///< ".cpython-311-x86_64-linux-gnu.so"
};

/// Of the Python whose library folder is called `name` ("python3.11", "python3.13t").
PythonHome find_python_home(const System& system, const std::filesystem::path& prefix,
                            const std::string& name);

}  // namespace dsbuild::probe
