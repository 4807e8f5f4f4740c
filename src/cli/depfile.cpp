#include "cli/depfile.h"

#include <set>

#include "base/error.h"
#include "base/text.h"
#include "ninja/emit.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {
namespace {

/// A path as make reads it in a rule
/// (https://www.gnu.org/software/make/manual/html_node/Rule-Syntax.html).
std::string make_escape(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '#' || c == '\\' || c == '%') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

}  // namespace

std::string render_depfile(Context& context, const plan::Plan& plan,
                           const manifest::Catalog& catalog, const fs::path& out,
                           const fs::path& build_folder, const fs::path& ninja) {
  std::set<std::string> inputs;
  for (const auto& [name, op] : catalog.ops) inputs.insert(op.file.string());
  for (const auto& [name, accelerator] : catalog.accelerators)
    inputs.insert(accelerator.file.string());
  for (const plan::Step& step : plan.steps) {
    for (const std::string& input : step.inputs) {
      if (!input.starts_with("{build}")) inputs.insert(ninja::expand_paths(input, plan.paths));
    }
  }
  Command command;
  command.argv = {ninja.string(), "-C", build_folder.string(), "-t", "deps"};
  command.environment = context.host_system().environment();
  command.limit = std::chrono::minutes(2);
  command.output_limit = 1u << 30;
  const ProcessResult deps = context.processes().run(command);
  if (!deps.ok()) {
    throw Error(ExitCode::step_failed, "ninja could not list the headers: " + deps.describe(),
                ninja.string());
  }
  for (const std::string& line : split_lines(deps.out)) {
    // "target: #deps 3, deps mtime 1 (VALID)", then each path after four spaces.
    if (!line.starts_with("    ")) continue;
    const fs::path header = fs::path(line.substr(4));
    inputs.insert((build_folder / header).lexically_normal().string());
  }
  std::string text = make_escape((out / "bundle.json").string()) + ":";
  for (const std::string& input : inputs) text += " \\\n  " + make_escape(input);
  text += "\n";
  // A header that is gone must not stop the outer make: each input is a target of its own, without
  // a recipe.
  for (const std::string& input : inputs) text += "\n" + make_escape(input) + ":\n";
  return text;
}

}  // namespace dsbuild::cli
