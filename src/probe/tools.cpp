#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/text.h"
#include "probe/sources.h"
#include "probe/toolchains.h"

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
    for (const fs::path& path : find_commands(scene.system, scene.path, name)) {
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
  const auto found = find_commands(scene.system, scene.path, name);
  tool.path = found.empty() ? Fact<std::string>::missing("no " + name + " on PATH", "PATH")
                            : Fact<std::string>::known(found.front().string(), "PATH");
  tool.version = Fact<Version>::missing("nothing needs it, so it wasn't asked");
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
  for (const std::string& name : names) tools.push_back(find_tool(scene, name));
  return tools;
}

}  // namespace dsbuild::probe
