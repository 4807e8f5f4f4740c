#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "probe/demand.h"
#include "probe/sources.h"
#include "probe/toolchains/command_files.h"
#include "probe/toolchains/toolchains.h"

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
  fs::path command;
  std::string origin;
  bool demanded = false;
  CommandFiles files;
};

/// Adds those that aren't the same file as one before them.
void add_candidates(const Scene& scene, std::vector<Candidate>& candidates,
                    const std::vector<fs::path>& commands, const std::string& origin,
                    bool demanded) {
  for (const fs::path& command : commands) {
    Candidate candidate{command, origin, demanded, find_command_files(scene.system, command)};
    if (is_compiler_cache(candidate.files.real)) {
      const auto compiler = find_cached_compiler(scene, command);
      if (!compiler) continue;
      candidate.command = *compiler;
      candidate.files = find_command_files(scene.system, *compiler);
    }
    const bool known = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
      return c.files.real == candidate.files.real;
    });
    if (!known) candidates.push_back(std::move(candidate));
  }
}

/// Asks for the archs; what is wrong with the answer goes to `missing`.
void find_archs(const Search& search, const Candidate& candidate, Toolchain& toolchain) {
  const ToolchainProbe& probe = search.probe;
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

/// Everything about one command. Never throws for what a tool says.
Toolchain inspect(const Search& search, const Candidate& candidate) {
  const ToolchainProbe& probe = search.probe;
  Toolchain toolchain;
  toolchain.kind = probe.kind;
  toolchain.path = candidate.command.string();
  toolchain.origin = candidate.origin;
  toolchain.demanded = candidate.demanded;
  const ProcessResult answer = search.scene.answers.ask(candidate.command, probe.version_argv);
  toolchain.version = parse_version_answer(
      answer, search.version, fmt::format("{} {}", toolchain.path, join(probe.version_argv, " ")));
  if (!probe.tool.empty()) toolchain.values[probe.tool] = toolchain.path;
  if (toolchain.version) {
    toolchain.values["major"] = std::to_string(toolchain.version->part(0));
    toolchain.values["minor"] = std::to_string(toolchain.version->part(1));
  } else {
    toolchain.missing.push_back(toolchain.version.reason);
  }
  std::vector<fs::path> files = candidate.files.files;
  const auto beside = find_beside(search, candidate.files.real, toolchain);
  files.insert(files.end(), beside.begin(), beside.end());
  find_archs(search, candidate, toolchain);
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
  if (!probe.folders.empty()) reason += " or in " + join(probe.folders, ", ");
  return reason;
}

}  // namespace

std::vector<Toolchain> find_command_toolchains(const Scene& scene, const Accelerator& accelerator,
                                               const ToolchainProbe& probe) {
  const Search search{scene, accelerator, probe, Pattern(probe.version_regex),
                      Pattern(probe.archs_regex)};
  std::vector<Candidate> candidates;
  std::vector<Toolchain> toolchains;
  if (const auto demand = find_demand(scene, probe)) {
    add_candidates(scene, candidates, demand->commands, demand->origin, true);
    if (demand->commands.empty()) {
      toolchains.push_back(
          make_absent(probe.kind, demand->text, demand->reason, demand->origin, true));
    }
  }
  add_candidates(scene, candidates, find_probe_commands(scene.system, probe, scene.path), "PATH",
                 false);
  for (const std::string& folder : probe.folders) {
    const std::vector<FolderListing> listing{{folder, scene.system.list_folder(folder)}};
    add_candidates(scene, candidates, find_probe_commands(scene.system, probe, listing), folder,
                   false);
  }

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

}  // namespace dsbuild::probe
