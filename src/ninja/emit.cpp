#include "ninja/emit.h"

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "ninja/writer.h"
#include "plan/step_file.h"

namespace dsbuild::ninja {
namespace {

// 64 bits: Ninja itself keeps no more of a command.
constexpr std::size_t kHashDigits = 16;
constexpr std::size_t kMaxFileName = 200;

using Paths = std::map<std::string, std::string>;

std::vector<std::string> expand_all(const std::vector<std::string>& texts, const Paths& paths) {
  std::vector<std::string> expanded;
  expanded.reserve(texts.size());
  for (const std::string& text : texts) expanded.push_back(expand_paths(text, paths));
  return expanded;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-+./").find(c) != std::string_view::npos;
}

/// A step's file. It stands in a command that a shell reads, so it is made of plain characters
/// only: others, and names that are too long, are replaced and told apart by a hash.
std::string step_file_name(const std::string& id) {
  std::string name = id;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_plain(c); }, '_');
  const std::size_t last = name.rfind('/') + 1;
  const bool too_long = name.size() - last > kMaxFileName;
  if (too_long) name.resize(last + kMaxFileName);
  if (name != id) name += "-" + sha256(id).substr(0, kHashDigits);
  return "steps/" + name + ".argv";
}

/// Paths as the commands see them, which run in the build folder.
Paths paths_in_build(const plan::Plan& plan) {
  Paths paths = plan.paths;
  paths["build"] = "";
  return paths;
}

void refuse_line_break(const std::string& text) {
  if (text.find('\n') == std::string::npos && text.find('\r') == std::string::npos) return;
  throw Error(ExitCode::bad_input, "a path or word with a line break can't be built with", text,
              "rename the file or folder");
}

/// `roots`: where the plan's placeholders really lie.
plan::StepFile make_step_file(const plan::Step& step, const Paths& paths, const Paths& roots) {
  plan::StepFile file;
  file.id = step.id;
  file.what = step.what;
  file.argv = expand_all(step.argv, paths);
  for (const std::string& word : file.argv) refuse_line_break(word);
  file.environment = step.environment;
  file.outputs = expand_all(step.outputs, paths);
  file.depfile = expand_paths(step.depfile, paths);
  file.kernels = step.kernels;
  file.any_kernel = step.any_kernel;
  for (const plan::Scan& scan : step.scans) {
    file.scans.push_back({expand_all(scan.argv, paths), expand_paths(scan.depfile, paths)});
  }
  if (step.header) {
    file.header = {expand_paths(step.header->outputs.front(), paths),
                   expand_paths(step.header->depfile, paths), expand_all(step.header->argv, paths)};
  }
  file.hash = plan::step_hash(step);
  file.inputs = expand_all(step.inputs, paths);
  file.inputs_only = step.inputs_only;
  file.roots = roots;
  if (step.subprograms) {
    file.subprograms = *step.subprograms;
    file.toolchain_identity = step.toolchain_identity;
  }
  return file;
}

void add_edge(Writer& writer, const plan::StepFile& file, const std::string& file_name) {
  writer.build(file.outputs, file.depfile.empty() ? "step" : "step_with_depfile", file.inputs,
               {{"file", file_name},
                {"hash", file.hash.substr(0, kHashDigits)},
                {"what", file.what},
                {"dep", file.depfile}});
}

bool is_compile(const plan::Step& step) {
  return !step.inputs.empty() && !step.inputs.front().starts_with("{build}");
}

/// Ninja starts what is ready in the order of its file: what takes long must not be the last.
std::vector<const plan::Step*> heaviest_first(const std::vector<plan::Step>& steps) {
  std::vector<const plan::Step*> order;
  for (const plan::Step& step : steps) order.push_back(&step);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->weight > b->weight; });
  return order;
}

}  // namespace

std::string expand_paths(const std::string& text, const Paths& paths) {
  std::string expanded;
  std::size_t done = 0;
  for (std::size_t open = 0; (open = text.find('{', open)) != std::string::npos;) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    const std::string_view name = std::string_view(text).substr(open + 1, close - open - 1);
    const auto path = std::find_if(paths.begin(), paths.end(),
                                   [&](const auto& entry) { return entry.first == name; });
    if (path == paths.end()) {
      ++open;
      continue;
    }
    expanded.append(text, done, open - done);
    done = close + 1;
    if (!path->second.empty()) {
      expanded += path->second;
    } else if (done < text.size() && text[done] == '/') {
      ++done;  // below the current folder: a relative path
    } else {
      expanded += '.';
    }
    open = done;
  }
  return expanded.append(text, done);
}

BuildFiles render_build_files(const plan::Plan& plan, const std::filesystem::path& build_folder) {
  refuse_line_break(build_folder.native());
  const Paths paths = paths_in_build(plan);
  // But for the build folder, in which the launcher runs: it may be moved.
  Paths roots = plan.paths;
  roots.erase("build");
  BuildFiles files;
  Writer writer;
  writer.comment(
      "Written by dsbuild. The words of a command are in its step file; the hash stands");
  writer.comment("in the command so that Ninja runs a step again when any of them changes.");
  writer.rule("step", {{"command", "./step $file #$hash"}, {"description", "$what"}});
  writer.rule("step_with_depfile", {{"command", "./step $file #$hash"},
                                    {"description", "$what"},
                                    {"depfile", "$dep"},
                                    {"deps", "gcc"}});
  for (const plan::Step* one : heaviest_first(plan.steps)) {
    const plan::Step& step = *one;
    const plan::StepFile file = make_step_file(step, paths, roots);
    std::string name = step_file_name(step.id);
    add_edge(writer, file, name);
    for (const auto& [path, text] : step.files) files.emplace(expand_paths(path, paths), text);
    files.emplace(std::move(name), plan::render_step_file(file));
  }
  files.emplace("build.ninja", writer.text());
  return files;
}

std::string render_compile_commands(const plan::Plan& plan,
                                    const std::filesystem::path& build_folder) {
  const Paths paths = paths_in_build(plan);
  Json commands = Json::array();
  for (const plan::Step& step : plan.steps) {
    if (!is_compile(step)) continue;
    commands.push_back({{"directory", build_folder.string()},
                        {"file", expand_paths(step.inputs.front(), paths)},
                        {"arguments", expand_all(step.argv, paths)},
                        {"output", expand_paths(step.outputs.front(), paths)}});
  }
  return dump_json(commands);
}

}  // namespace dsbuild::ninja
