#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "probe/demand.h"
#include "probe/sources.h"
#include "probe/toolchains/command_files.h"
#include "probe/toolchains/toolchains.h"
#include "probe/toolchains/toolkit_files.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

using manifest::Accelerator;
using manifest::ToolchainProbe;

/// What is looked for, with the descriptor's patterns ready.
struct Search {
  const Scene& scene;
  const Accelerator& accelerator;
  const ToolchainProbe& probe;
  Pattern version;
  Pattern archs;
};

/// A command to look at, and the rule that named it.
struct Candidate {
  fs::path command;  ///< empty: a toolkit without one
  std::string origin;
  bool demanded = false;
  CommandFiles files;
  ToolkitFiles toolkit;  ///< where the descriptor describes one
};

/// Adds those that aren't the same file as one before them.
void add_candidates(const Search& search, std::vector<Candidate>& candidates,
                    const std::vector<fs::path>& commands, const std::string& origin,
                    bool demanded) {
  const Scene& scene = search.scene;
  for (const fs::path& command : commands) {
    Candidate candidate{command, origin, demanded, find_command_files(scene.system, command), {}};
    if (is_compiler_cache(candidate.files.real)) {
      const auto compiler = find_cached_compiler(scene, command);
      if (!compiler) continue;
      candidate.command = *compiler;
      candidate.files = find_command_files(scene.system, *compiler);
    }
    const bool known = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
      return c.files.real == candidate.files.real;
    });
    if (known) continue;
    if (const auto& rule = search.probe.toolkit) {
      candidate.toolkit = find_toolkit_of(scene, *rule, candidate.command, candidate.files.real);
    }
    candidates.push_back(std::move(candidate));
  }
}

/// Adds the toolkit in a folder: its commands, or without one what else is there.
bool add_toolkit(const Search& search, std::vector<Candidate>& candidates, const fs::path& folder,
                 const std::string& origin, bool demanded) {
  const System& system = search.scene.system;
  const fs::path bin = folder / "bin";
  const auto commands = find_probe_commands(system, search.probe, {{bin, system.list_folder(bin)}});
  add_candidates(search, candidates, commands, origin, demanded);
  if (!commands.empty()) return true;
  ToolkitFiles toolkit = find_toolkit_files(search.scene, *search.probe.toolkit, folder);
  if (!toolkit.sure) return false;
  const auto real = system.resolve(folder);
  const bool known = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
    return system.resolve(c.toolkit.folder) == real;
  });
  if (!known) candidates.push_back({{}, origin, demanded, {}, std::move(toolkit)});
  return true;
}

void add_toolkits(const Search& search, std::vector<Candidate>& candidates) {
  if (!search.probe.toolkit) return;
  for (const ToolkitPlace& place : find_toolkit_places(search.scene, *search.probe.toolkit)) {
    add_toolkit(search, candidates, place.folder, place.origin, false);
  }
  // A wheel puts a Python script of the command's name into the environment's bin, far from what
  // the wheel brings.
  const auto is_wheel_script = [&](const Candidate& candidate) {
    if (candidate.demanded || candidate.toolkit.sure || candidate.command.empty()) return false;
    const fs::path prefix = candidate.command.parent_path().parent_path();
    return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
      return other.toolkit.sure && other.toolkit.folder != prefix &&
             std::any_of(search.scene.pythons.packages.begin(), search.scene.pythons.packages.end(),
                         [&](const PythonPackages& packages) {
                           return packages.prefix == prefix &&
                                  other.toolkit.folder.parent_path() == packages.folder;
                         });
    });
  };
  std::vector<Candidate> kept;
  for (const Candidate& candidate : candidates) {
    if (!is_wheel_script(candidate)) kept.push_back(candidate);
  }
  candidates = std::move(kept);
}

/// Asks for the archs; what is wrong with the answer goes to `missing`.
void find_archs(const Search& search, const Candidate& candidate, Toolchain& toolchain) {
  const ToolchainProbe& probe = search.probe;
  if (probe.toolkit && probe.toolkit->archs) {
    toolchain.archs = parse_archs(
        search.accelerator,
        find_toolkit_archs(search.scene.system, *probe.toolkit->archs, candidate.toolkit),
        search.scene.machine);
    if (!toolchain.archs.empty()) return;
  }
  toolchain.all_archs = probe.archs_argv.empty();
  if (toolchain.all_archs || !toolchain.version) return;
  const ProcessResult answer = search.scene.answers.ask(candidate.command, probe.archs_argv);
  if (answer.ok()) {
    toolchain.archs = parse_archs(search.accelerator, find_all_in_answer(answer, search.archs),
                                  search.scene.machine);
  }
  if (toolchain.archs.empty()) {
    toolchain.missing.push_back(fmt::format("archs of {} ({} says: {})", search.accelerator.name,
                                            join(probe.archs_argv, " "), describe_answer(answer)));
  }
}

/// Finds what must lie in the real command's folder; returns the files that do.
std::vector<fs::path> find_beside(const Search& search, const fs::path& real,
                                  Toolchain& toolchain) {
  std::vector<fs::path> found;
  for (const auto& [placeholder, name] : search.probe.beside) {
    fs::path path = real.parent_path() / name;
    if (search.scene.system.exists(path)) {
      toolchain.values[placeholder] = path.string();
      found.push_back(std::move(path));
    } else {
      toolchain.missing.push_back(fmt::format("{} in {}", name, path.parent_path().string()));
    }
  }
  return found;
}

/// What the toolkit's files say, else the command.
Fact<Version> find_version(const Search& search, const Candidate& candidate) {
  const ToolchainProbe& probe = search.probe;
  auto version = probe.toolkit ? find_toolkit_version(search.scene.system, *probe.toolkit,
                                                      candidate.toolkit.folder)
                               : Fact<Version>::missing({});
  if (version || candidate.command.empty()) return version;
  const ProcessResult answer =
      search.scene.answers.ask(candidate.command, probe.version_argv, candidate.toolkit.files);
  return parse_version_answer(
      answer, search.version,
      fmt::format("{} {}", candidate.command.string(), join(probe.version_argv, " ")));
}

void set_versions(Toolchain& toolchain) {
  if (toolchain.version) {
    toolchain.values["major"] = std::to_string(toolchain.version->part(0));
    toolchain.values["minor"] = std::to_string(toolchain.version->part(1));
  } else {
    toolchain.missing.push_back(toolchain.version.reason);
  }
}

/// Everything about one command, or a toolkit that lacks it. Never throws for what a tool says.
Toolchain inspect(const Search& search, const Candidate& candidate) {
  const ToolchainProbe& probe = search.probe;
  Toolchain toolchain;
  toolchain.kind = probe.kind;
  toolchain.path =
      (candidate.command.empty() ? candidate.toolkit.folder : candidate.command).string();
  toolchain.origin = candidate.origin;
  toolchain.demanded = candidate.demanded;
  toolchain.values = candidate.toolkit.values;
  toolchain.missing = candidate.toolkit.missing;
  toolchain.version = find_version(search, candidate);
  std::vector<fs::path> files = candidate.files.files;
  files.insert(files.end(), candidate.toolkit.files.begin(), candidate.toolkit.files.end());
  if (candidate.command.empty()) {
    toolchain.missing.insert(toolchain.missing.begin(), "bin/" + probe.commands.front());
  } else {
    if (!probe.tool.empty()) toolchain.values[probe.tool] = toolchain.path;
    set_versions(toolchain);
    const auto beside = find_beside(search, candidate.files.real, toolchain);
    files.insert(files.end(), beside.begin(), beside.end());
    find_archs(search, candidate, toolchain);
  }
  set_state(toolchain);
  toolchain.identity = make_identity(search.scene.system, files,
                                     toolchain.version ? toolchain.version->text : std::string());
  return toolchain;
}

std::string nothing_found(const ToolchainProbe& probe) {
  std::vector<std::string> names;
  for (const std::string& command : probe.commands) {
    names.push_back(command);
    if (probe.versioned) names.push_back(command + "-<number>");
  }
  std::string reason = fmt::format("no {} on PATH", join(names, " or "));
  std::vector<std::string> folders = probe.folders;
  if (probe.toolkit) {
    folders.insert(folders.end(), probe.toolkit->folders.begin(), probe.toolkit->folders.end());
  }
  if (!folders.empty()) reason += " or in " + join(folders, ", ");
  return reason;
}

Search make_search(const Scene& scene, const Accelerator& accelerator,
                   const ToolchainProbe& probe) {
  return {scene, accelerator, probe, Pattern(probe.version_regex), Pattern(probe.archs_regex)};
}

/// Where the probe's commands and toolkits are; what is demanded and isn't there goes to `absent`.
std::vector<Candidate> find_candidates(const Search& search, std::vector<Toolchain>& absent) {
  const auto& [scene, accelerator, probe, version, archs] = search;
  std::vector<Candidate> candidates;
  if (const auto demand = find_demand(scene, probe)) {
    add_candidates(search, candidates, demand->commands, demand->origin, true);
    if (demand->commands.empty() &&
        !(probe.toolkit && demand->text.starts_with('/') &&
          add_toolkit(search, candidates, demand->text, demand->origin, true))) {
      absent.push_back(make_absent(probe.kind, demand->text, demand->reason, demand->origin, true));
    }
  }
  add_candidates(search, candidates, find_probe_commands(scene.system, probe, scene.pythons.path),
                 "PATH", false);
  for (const std::string& pattern : probe.folders) {
    for (const fs::path& folder : find_newest_first(scene.system, pattern)) {
      const std::vector<FolderListing> listing{{folder, scene.system.list_folder(folder)}};
      add_candidates(search, candidates, find_probe_commands(scene.system, probe, listing),
                     folder.string(), false);
    }
  }
  add_toolkits(search, candidates);
  return candidates;
}

}  // namespace

std::vector<Toolchain> find_command_toolchains(const Scene& scene, const Accelerator& accelerator,
                                               const ToolchainProbe& probe) {
  const Search search = make_search(scene, accelerator, probe);
  std::vector<Toolchain> toolchains;
  const std::vector<Candidate> candidates = find_candidates(search, toolchains);
  const std::size_t absent = toolchains.size();
  toolchains.resize(absent + candidates.size());
  for_each(scene, candidates.size(),
           [&](std::size_t i) { toolchains[absent + i] = inspect(search, candidates[i]); });
  if (toolchains.empty()) {
    toolchains.push_back(make_absent(probe.kind, {}, nothing_found(probe), "PATH", false));
  }
  order_toolchains(toolchains, probe.newest);
  return toolchains;
}

std::vector<Toolchain> find_newest_toolchain(const Scene& scene, const Accelerator& accelerator,
                                             const ToolchainProbe& probe) {
  const Search search = make_search(scene, accelerator, probe);
  std::vector<Toolchain> toolchains;
  std::vector<Candidate> candidates = find_candidates(search, toolchains);
  std::vector<std::pair<Fact<Version>, std::size_t>> order(candidates.size());
  for_each(scene, candidates.size(), [&](std::size_t i) {
    order[i] = {find_version(search, candidates[i]), i};
  });
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    const bool demanded = candidates[a.second].demanded;
    if (demanded != candidates[b.second].demanded) return demanded;
    if (!a.first || !b.first) return a.first.value.has_value() && !b.first;
    return *b.first < *a.first;
  });
  for (const auto& [version, i] : order) {
    toolchains.push_back(inspect(search, candidates[i]));
    if (toolchains.back().state == ToolchainState::complete) break;
  }
  if (toolchains.empty())
    toolchains.push_back(make_absent(probe.kind, {}, nothing_found(probe), "PATH", false));
  return toolchains;
}

}  // namespace dsbuild::probe
