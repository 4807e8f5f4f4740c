#include "probe/demand.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "probe/toolchains/command_files.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

/// Programs that start a compiler of another name, or of the name of the link that leads to them.
constexpr std::array<std::string_view, 5> kCompilerCaches{"ccache", "sccache", "distcc", "icecc",
                                                          "buildcache"};

/// A C compiler's C++ one lies beside it. CC names the former, and so does NVCC_CCBIN often.
struct Companion {
  std::string_view c;
  std::string_view cxx;
};
constexpr std::array<Companion, 3> kCompanions{
    {{"gcc", "g++"}, {"clang", "clang++"}, {"cc", "c++"}}};

/// /usr/bin/g++-12 for /usr/bin/gcc-12; the path itself when it names no C compiler.
fs::path find_companion(const System& system, const fs::path& path) {
  std::string name = path.filename().string();
  for (const Companion& row : kCompanions) {
    if (!names_tool(name, row.c)) continue;
    name.replace(name.rfind(row.c), row.c.size(), row.cxx);
    const fs::path companion = path.parent_path() / name;
    return system.exists(companion) ? companion : path;
  }
  return path;
}

FolderListing list(const System& system, const fs::path& folder) {
  return {folder, system.list_folder(folder)};
}

/// Whether a command is one of the probe's, by its own name or by that of the file it links to:
/// /usr/bin/c++ leads to x86_64-linux-gnu-g++-12, or to clang.
bool bears_name(const System& system, const fs::path& command,
                const manifest::ToolchainProbe& probe) {
  const std::string own = command.filename().string();
  const std::string real =
      command.is_absolute() ? find_command_files(system, command).real.filename().string() : own;
  return std::any_of(probe.commands.begin(), probe.commands.end(), [&](std::string_view name) {
    if (names_tool(own, name) || names_tool(real, name)) return true;
    return name.ends_with("++") && names_tool(real, name.substr(0, name.size() - 2));
  });
}

/// Commands of the probe that a path means: itself, or those in the folder or its bin.
std::vector<fs::path> commands_at(const System& system, const fs::path& path,
                                  const manifest::ToolchainProbe& probe) {
  const auto status = system.status(path);
  if (!status) return {};
  if (!status->is_folder()) return {path};
  auto found = find_probe_commands(system, probe, {list(system, path)});
  if (found.empty()) found = find_probe_commands(system, probe, {list(system, path / "bin")});
  return found;
}

/// What the value of a variable such as CXX names, and what is wrong with it.
struct Named {
  fs::path path;
  std::string problem;
};

/// A path, a name to look for on PATH, or a compiler cache and either.
Named read_variable(const Scene& scene, const std::string& variable, const std::string& value) {
  std::vector<std::string> words{value};
  if (!value.starts_with('/') || !scene.system.exists(value)) words = split(value, " \t\n");
  if (words.size() > 1 && is_compiler_cache(words.front())) {
    words.erase(words.begin());
  }
  Named named{words.front(), {}};
  if (words.size() > 1) {
    named.problem = fmt::format(
        "{}='{}' is more than a command: write the command alone, flags belong into manifests",
        variable, value);
    return named;
  }
  if (!named.path.has_parent_path()) {
    const auto found = find_commands(scene.system, scene.pythons.path, named.path.string());
    if (!found.empty()) named.path = found.front();
  }
  if (!named.path.is_absolute() || !scene.system.exists(named.path)) {
    named.problem = fmt::format("{}={}: no such command", variable, value);
  }
  return named;
}

/// All probes that read the variable, in the catalog's order.
std::vector<const manifest::ToolchainProbe*> readers_of(const manifest::Catalog& catalog,
                                                        const std::string& variable) {
  std::vector<const manifest::ToolchainProbe*> readers;
  for (const auto& [name, accelerator] : catalog.accelerators) {
    for (const manifest::ToolchainProbe& probe : accelerator.probes) {
      if (std::find(probe.env.begin(), probe.env.end(), variable) != probe.env.end()) {
        readers.push_back(&probe);
      }
    }
  }
  return readers;
}

/// What of a variable's path is this probe's, by its name; empty: nothing.
std::vector<fs::path> own_commands(const Scene& scene, const fs::path& path,
                                   const manifest::ToolchainProbe& probe) {
  const auto status = path.is_absolute() ? scene.system.status(path) : std::nullopt;
  if (status && status->is_folder()) return commands_at(scene.system, path, probe);
  const fs::path command = find_companion(scene.system, path);
  return bears_name(scene.system, command, probe) ? std::vector{command} : std::vector<fs::path>{};
}

std::optional<Demand> find_variable_demand(const Scene& scene,
                                           const manifest::ToolchainProbe& probe,
                                           const std::string& variable, const std::string& value) {
  const Named named = read_variable(scene, variable, value);
  Demand demand{variable, value, own_commands(scene, named.path, probe), named.problem};
  if (!demand.commands.empty()) {
    if (!named.problem.empty()) demand.commands.clear();
    return demand;
  }
  const auto readers = readers_of(scene.catalog, variable);
  const bool anyones = std::any_of(readers.begin(), readers.end(), [&](const auto* reader) {
    return !own_commands(scene, named.path, *reader).empty();
  });
  if (anyones || readers.front()->kind != probe.kind) return std::nullopt;
  if (demand.reason.empty()) {
    std::vector<std::string> names;
    for (const auto* reader : readers) {
      names.insert(names.end(), reader->commands.begin(), reader->commands.end());
    }
    demand.reason =
        fmt::format("{}={} is no {}; if it is one by another name, say --toolkit {}={}", variable,
                    value, fmt::join(names, " or "), probe.kind, named.path.string());
  }
  return demand;
}

}  // namespace

std::vector<fs::path> find_probe_commands(const System& system,
                                          const manifest::ToolchainProbe& probe,
                                          const std::vector<FolderListing>& folders) {
  std::vector<fs::path> found;
  const auto add = [&found](const std::vector<fs::path>& more) {
    found.insert(found.end(), more.begin(), more.end());
  };
  for (const std::string& name : probe.commands) add(find_commands(system, folders, name));
  for (const std::string& name : probe.commands) {
    if (probe.versioned) add(find_versioned_commands(system, folders, name));
  }
  return found;
}

bool is_compiler_cache(const fs::path& real) {
  const std::string name = real.filename().string();
  return std::find(kCompilerCaches.begin(), kCompilerCaches.end(), name) != kCompilerCaches.end();
}

std::optional<fs::path> find_cached_compiler(const Scene& scene, const fs::path& command) {
  for (const fs::path& other :
       find_commands(scene.system, scene.pythons.path, command.filename().string())) {
    if (!is_compiler_cache(find_command_files(scene.system, other).real)) return other;
  }
  return std::nullopt;
}

std::optional<Demand> find_demand(const Scene& scene, const manifest::ToolchainProbe& probe) {
  if (const auto chosen = scene.options.toolkits.find(probe.kind);
      chosen != scene.options.toolkits.end()) {
    Demand demand{
        kToolkitFlag, chosen->second, commands_at(scene.system, chosen->second, probe), {}};
    if (demand.commands.empty()) {
      demand.reason = fmt::format("--toolkit {}={} holds no {}", probe.kind, chosen->second,
                                  fmt::join(probe.commands, " or "));
    }
    return demand;
  }
  for (const std::string& variable : probe.env) {
    const auto value = scene.system.env(variable);
    if (!value || trim(*value).empty()) continue;
    if (auto demand = find_variable_demand(scene, probe, variable, std::string(trim(*value)))) {
      return demand;
    }
  }
  return std::nullopt;
}

}  // namespace dsbuild::probe
