// A Python that modules are installed for: what it says of itself, and whether it can import them.
// Knows two small Python programs that are run in a child; writes nothing.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/version.h"

namespace dsbuild::bundle {

/// What an interpreter says of itself and of two packages that it would import.
struct PythonHost {
  std::filesystem::path interpreter;
  Version version;                         ///< 3.11
  std::vector<std::string> suffixes;       ///< of extension modules, the first one found is taken
  std::filesystem::path torch;             ///< its package's folder; empty: none
  std::filesystem::path package;           ///< of DeepSpeed; empty: none
  std::optional<Version> package_version;  ///< by its record; empty: none is there

  /// The folder that holds the package.
  std::filesystem::path site() const { return package.parent_path(); }
};

/// Asks it, in a child that imports neither of them. `python`: an interpreter or the folder of an
/// environment. Throws Error(bad_input) when it can't be started or has no DeepSpeed.
PythonHost find_python_host(ProcessRunner& processes, const Environment& environment,
                            const std::filesystem::path& python);

/// A module that is tried.
struct TriedModule {
  std::string op;
  std::string name;  ///< dotted
  std::filesystem::path file;
  std::vector<std::string> after;  ///< ops whose modules are loaded before, their symbols for all
};

/// What became of it.
struct ModuleTrial {
  std::map<std::string, std::string> failures;  ///< op -> the last line of what was said
  std::string record;                           ///< the record with what torch says of itself added
  std::string record_failure;                   ///< why `import deepspeed` fails with that record
};

/// Imports torch, then each module in a child of its own, then DeepSpeed with `record` in the place
/// of its record of installed ops, which gets torch_info from the torch that is imported.
ModuleTrial try_modules(ProcessRunner& processes, const Environment& environment,
                        const PythonHost& host, const std::vector<TriedModule>& modules,
                        const std::string& record);

}  // namespace dsbuild::bundle
