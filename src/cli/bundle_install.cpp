#include "cli/bundle_install.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/options.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {
namespace {

struct InstallFlags {
  std::string bundle;
  std::string into;
  std::string accelerator;
  bool remove = false;
};

bundle::InstallMeans means_of(Context& context, const manifest::Catalog& catalog,
                              const std::string& level) {
  return {context.host_system(), context.processes(), catalog, level,
          [&context](const std::string& line) { context.note("dsbuild: " + line); }};
}

report::Document describe(const bundle::PythonHost& host, const bundle::InstallOutcome& outcome) {
  report::Section modules{"", {"op", "accelerator", "cpu", "installed as"}, {}, outcome.notes};
  for (const bundle::Extension& extension : outcome.extensions) {
    const auto level = extension.file.needs.find("cpu");
    modules.rows.push_back({{extension.file.op},
                            {outcome.accelerator},
                            {level == extension.file.needs.end() ? "-" : level->second},
                            {extension.place}});
  }
  report::Section rest{"", {}, {}, {}};
  rest.rows.push_back({{"into"}, {host.site().string()}});
  rest.rows.push_back({{"python"}, {host.interpreter.string()}});
  if (!outcome.changed)
    rest.rows.push_back({{"changed"}, {"nothing: all of it stood there already"}});
  for (const bundle::BundleGap& gap : outcome.gaps) {
    rest.rows.push_back({{"not there"}, {gap.op + ": " + gap.text, report::Tone::warning}});
  }
  return {"", {modules, rest}};
}

Json to_json(const bundle::PythonHost& host, const bundle::InstallOutcome& outcome,
             const std::string& bundle) {
  Json ops = Json::array();
  for (const bundle::Extension& extension : outcome.extensions) {
    ops.push_back({{"op", extension.file.op},
                   {"module", extension.module},
                   {"path", (host.site() / extension.place).string()},
                   {"sha256", extension.file.sha256},
                   {"needs", extension.file.needs}});
  }
  Json gaps = Json::array();
  for (const bundle::BundleGap& gap : outcome.gaps)
    gaps.push_back({{"op", gap.op}, {"code", gap.code}, {"text", gap.text}, {"hint", gap.hint}});
  return {{"schema", 1},
          {"bundle", bundle},
          {"python", host.interpreter.string()},
          {"site", host.site().string()},
          {"accelerator", outcome.accelerator},
          {"changed", outcome.changed},
          {"installed", ops},
          {"gaps", gaps},
          {"notes", outcome.notes}};
}

constexpr std::string_view what_name(bundle::TakenBack::What what) {
  switch (what) {
    case bundle::TakenBack::What::removed:
      return "removed";
    case bundle::TakenBack::What::restored:
      return "restored what was there before";
    case bundle::TakenBack::What::left:
      break;
  }
  return "left: it was changed since, or what changed still needs it";
}

ExitCode run_removal(Context& context) {
  const bundle::PythonHost host = find_install_host(context, context.options.python);
  const manifest::Catalog catalog = context.read_catalog();
  const bundle::RemovalOutcome outcome =
      bundle::write_install_removal(means_of(context, catalog, ""), host);
  report::Section section{"", {}, {}, {}};
  Json files = Json::array();
  for (const bundle::TakenBack& file : outcome.files) {
    const bool left = file.what == bundle::TakenBack::What::left;
    const std::string what(what_name(file.what));
    section.rows.push_back(
        {{file.path}, {what, left ? report::Tone::warning : report::Tone::plain}});
    files.push_back({{"path", file.path}, {"what", what.substr(0, what.find_first_of(" :"))}});
  }
  if (!outcome.was_installed)
    section.rows.push_back({{host.site().string()}, {"nothing of dsbuild is installed there"}});
  context.print({"", {section}}, {{"schema", 1},
                                  {"python", host.interpreter.string()},
                                  {"site", host.site().string()},
                                  {"files", files}});
  return ExitCode::ok;
}

ExitCode run_install(Context& context, const InstallFlags& flags) {
  if (flags.remove) return run_removal(context);
  if (flags.bundle.empty()) {
    throw Error(ExitCode::bad_input, "it isn't said which bundle", "command line",
                "dsbuild bundle install DIR --into deepspeed, or --remove to take back what was");
  }
  const bundle::PythonHost host = find_install_host(context, context.options.python);
  bundle::check_install_place(host);
  const manifest::Catalog catalog = context.read_catalog();
  const probe::Machine machine = context.probe(catalog);
  const std::string accelerator = flags.accelerator.empty()
                                      ? context.host_system().env("DS_ACCELERATOR").value_or("")
                                      : flags.accelerator;
  install_bundle(context, catalog, machine, host,
                 {flags.bundle, accelerator, split(context.options.ops, ",; \t\n")});
  return ExitCode::ok;
}

}  // namespace

bundle::PythonHost find_install_host(Context& context, const std::string& named) {
  const System& system = context.host_system();
  fs::path python = named;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto folder = system.env(variable);
    if (python.empty() && folder && fs::exists(fs::path(*folder) / "bin/python3")) python = *folder;
  }
  if (python.empty() || (!fs::exists(python) && !python.has_parent_path())) {
    const std::string name = python.empty() ? "python3" : python.string();
    const auto found = find_program(system, name);
    if (!found) {
      throw Error(ExitCode::bad_input, "there is no " + name, "PATH",
                  "name the Python with --python PATH");
    }
    python = *found;
  }
  return bundle::find_python_host(context.processes(), system.environment(),
                                  fs::absolute(python).lexically_normal());
}

void install_bundle(Context& context, const manifest::Catalog& catalog,
                    const probe::Machine& machine, const bundle::PythonHost& host,
                    const bundle::InstallRequest& request) {
  const bundle::InstallOutcome outcome = bundle::write_install(
      means_of(context, catalog, machine.cpu.level.value.value_or("")), host, request);
  context.print(describe(host, outcome), to_json(host, outcome, request.bundle.string()));
}

std::function<ExitCode()> add_bundle_install(CLI::App& bundle, Context& context) {
  const auto flags = std::make_shared<InstallFlags>();
  CLI::App* install = bundle.add_subcommand(
      "install", "put a bundle's modules where a framework looks for its prebuilt ops");
  install->add_option("DIR", flags->bundle, "the bundle")->type_name("");
  install->add_option("--into", flags->into, "the framework: deepspeed")
      ->required()
      ->type_name("NAME")
      ->check(CLI::IsMember({"deepspeed"}).description(""));
  install
      ->add_option("--python", context.options.python,
                   "the interpreter or environment that it is installed for: the active one "
                   "(VIRTUAL_ENV, CONDA_PREFIX) or the first python3 on PATH when left away")
      ->type_name("PATH");
  install
      ->add_option("--accelerator", flags->accelerator,
                   "whose modules, where the bundle has those of several (DS_ACCELERATOR)")
      ->type_name("NAME");
  install->add_option("--ops", context.options.ops, "these alone, and what they need beside them")
      ->type_name("LIST");
  install->add_flag("--remove", flags->remove,
                    "take back what was installed; what it had replaced stands there again");
  add_format_option(*install, context.options);
  return [&context, flags] { return run_install(context, *flags); };
}

}  // namespace dsbuild::cli
