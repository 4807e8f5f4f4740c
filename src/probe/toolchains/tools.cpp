#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "probe/sources.h"
#include "probe/toolchains/toolchains.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

/// The oldest whose syntax dsbuild writes.
constexpr const char* kNinjaRange = ">=1.10";

/// Ninja: some distributions call it ninja-build, and others have another program named ninja, so
/// each is asked. `ninja --version` prints nothing but the version.
Tool find_ninja(const Scene& scene) {
  Tool tool;
  tool.name = "ninja";
  std::vector<std::string> refused;
  const auto range = VersionRange::parse(kNinjaRange);
  for (const char* name : {"ninja", "ninja-build"}) {
    for (const fs::path& path : find_commands(scene.system, scene.pythons.path, name)) {
      const ProcessResult answer = scene.answers.ask(path, {"--version"});
      const auto version = answer.ok() ? Version::parse(answer.out) : std::nullopt;
      if (!version || version->parts.size() < 2) {
        refused.push_back(
            fmt::format("{} is another program: {}", path.string(), describe_answer(answer)));
      } else if (!range->contains(*version)) {
        refused.push_back(
            fmt::format("{} is {}, needed is {}", path.string(), version->number(), kNinjaRange));
      } else {
        tool.path = Fact<std::string>::known(path.string(), "PATH");
        tool.version = Fact<Version>::known(*version, path.string() + " --version");
        return tool;
      }
    }
  }
  const std::string reason = refused.empty() ? "no ninja on PATH" : join(refused, "; ");
  tool.path = Fact<std::string>::missing(reason, "PATH");
  tool.version = Fact<Version>::missing(reason);
  return tool;
}

Tool find_tool(const Scene& scene, const std::string& name) {
  Tool tool;
  tool.name = name;
  const auto found = find_commands(scene.system, scene.pythons.path, name);
  tool.path = found.empty() ? Fact<std::string>::missing("no " + name + " on PATH", "PATH")
                            : Fact<std::string>::known(found.front().string(), "PATH");
  tool.version = Fact<Version>::missing("nothing needs it, so it wasn't asked");
  return tool;
}

/// Programs that make builds faster where they are there: compiler caches, distributors, linkers.
constexpr std::array<const char*, 6> kHelpers{"ccache", "distcc", "icecc",
                                              "ld.lld", "mold",   "sccache"};

/// The first number among the words of the first line: "Debian LLD 19.1.7 (…)" is 19.1.7.
Fact<Version> ask_helper_version(const Scene& scene, const fs::path& path) {
  const std::string source = path.string() + " --version";
  const ProcessResult answer = scene.answers.ask(path, {"--version"});
  if (!answer.ok()) return Fact<Version>::missing(describe_answer(answer), source);
  const auto lines = split_lines(answer.out);
  for (const std::string& word : split(lines.empty() ? "" : lines.front(), " ")) {
    if (auto version = Version::parse(word)) return Fact<Version>::known(*version, source);
  }
  return Fact<Version>::missing("no number in: " + describe_answer(answer), source);
}

Tool find_helper(const Scene& scene, const std::string& name) {
  Tool tool = find_tool(scene, name);
  const auto versioned = tool.path
                             ? std::vector<fs::path>{}
                             : find_versioned_commands(scene.system, scene.pythons.path, name);
  if (!versioned.empty()) {
    tool.path = Fact<std::string>::known(versioned.front().string(), "PATH");
  }
  tool.version =
      tool.path ? ask_helper_version(scene, *tool.path) : Fact<Version>::missing(tool.path.reason);
  return tool;
}

}  // namespace

std::vector<Tool> find_tools(const Scene& scene) {
  std::set<std::string> names{"git"};
  for (const auto& [op_name, op] : scene.catalog.ops) {
    names.insert(op.needs.commands.begin(), op.needs.commands.end());
    for (const manifest::KernelSet& kernels : op.kernels) {
      names.insert(kernels.needs.commands.begin(), kernels.needs.commands.end());
    }
  }
  names.erase("ninja");
  std::vector<Tool> tools{find_ninja(scene)};
  if (scene.options.survey) {
    for (const char* name : kHelpers) names.erase(name);
  }
  for (const std::string& name : names) tools.push_back(find_tool(scene, name));
  if (!scene.options.survey) return tools;
  for (const char* name : kHelpers) tools.push_back(find_helper(scene, name));
  return tools;
}

}  // namespace dsbuild::probe
