#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "bundle/match.h"
#include "cli/commands.h"
#include "cli/machine_file.h"
#include "cli/match_text.h"
#include "cli/options.h"
#include "cli/version.h"
#include "report/accelerator_section.h"
#include "report/build_report.h"
#include "report/source_sections.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {
namespace {

struct ReportFlags {
  std::string record;
  bool full = false;
  std::string bundle;
  bool strict = false;
  bool devices = false;
  bool libraries = false;
};

/// What of a bundle each machine would load.
ExitCode report_bundle(Context& context, const manifest::Catalog& catalog, const ReportFlags& flags,
                       std::vector<RecordedMachine> machines) {
  const bundle::BundleIndex index = bundle::read_bundle(flags.bundle);
  if (machines.empty()) machines.push_back({"this machine", context.survey(catalog)});
  std::vector<MachineMatches> all;
  bool hole = false;
  for (const RecordedMachine& recorded : machines) {
    all.push_back({recorded.file, bundle::match_bundle(index, catalog, recorded.machine)});
    for (const bundle::Match& match : all.back().matches) hole = hole || match.image.empty();
  }
  context.print(describe_matches(flags.bundle, all), matches_to_json(flags.bundle, all));
  return hole && flags.strict ? ExitCode::step_failed : ExitCode::ok;
}

/// What was built here before, and whether it would load: nothing without a bundle at the usual
/// place. One that can't be read is told, and the report goes on.
void add_built(const manifest::Catalog& catalog, const probe::Machine& machine,
               report::Document& document, Json& json) {
  if (!fs::exists(fs::path(kUsualBundle) / std::string(bundle::kIndexName))) return;
  try {
    const MachineMatches built{
        fmt::format("built, in {}", kUsualBundle),
        bundle::match_bundle(bundle::read_bundle(kUsualBundle), catalog, machine)};
    document.sections.push_back(describe_matches(kUsualBundle, {built}).sections.front());
    json["built"] = match_rows(built.matches);
  } catch (const Error& error) {
    document.sections.push_back(
        {"built", {}, {}, {fmt::format("{}: {}", error.where, error.message)}});
  }
}

ExitCode record_machine(Context& context, const probe::Machine& machine, const ReportFlags& flags) {
  const std::string home = context.host_system().env("HOME").value_or("");
  write_file(flags.record, dump_json(make_machine_file(machine, kVersion, home, flags.full)));
  context.print("recorded in " + flags.record + "; elsewhere: dsbuild build --for " + flags.record +
                "\n");
  return ExitCode::ok;
}

/// `report --accelerators` without a list.
ExitCode run_accelerators(Context& context) {
  const manifest::Catalog catalog = context.read_catalog(Context::Problems::tell);
  const probe::AcceleratorStates states = context.probe(catalog).accelerators;
  context.print(report::make_accelerators_report(states),
                {{"schema", 1}, {"dsbuild", kVersion}, {"accelerators", probe::to_json(states)}});
  return ExitCode::ok;
}

ExitCode run_report(Context& context, const ReportFlags& flags) {
  if (flags.strict && flags.bundle.empty()) {
    throw Error(ExitCode::bad_input, "it belongs to --bundle", "--strict",
                "write --bundle DIR, or leave it out");
  }
  // A report is made whatever is wrong: what can't be read is said on stderr and left out.
  manifest::Catalog catalog = context.read_catalog(Context::Problems::tell);
  // Here they are looked at; nothing is asked for on their behalf.
  std::vector<RecordedMachine> machines = read_machine_files(context.options.machines);
  context.options.machines.clear();
  if (!flags.bundle.empty()) return report_bundle(context, catalog, flags, std::move(machines));
  if (flags.libraries && !machines.empty()) {
    throw Error(ExitCode::bad_input, "a recorded machine's libraries can't be tried", "--libraries",
                "leave out --libraries or --for");
  }
  if (machines.size() > 1) {
    throw Error(ExitCode::bad_input, "one report is of one machine", "--for",
                "give one --for, or --bundle DIR to compare what several would load");
  }
  const bool recorded = !machines.empty();
  probe::Machine machine =
      recorded ? std::move(machines.front().machine) : context.survey(catalog, flags.libraries);
  if (flags.devices && !recorded) context.ask_devices(machine);
  if (!flags.record.empty()) return record_machine(context, machine, flags);
  const plan::Plan plan =
      context.plan(context.request(catalog, machine), catalog, machine, Context::Problems::tell);
  report::Document document = report::make_report(machine, plan, kVersion);
  if (flags.devices) {
    for (report::Section& section : report::source_sections(machine.sources, recorded))
      document.sections.push_back(std::move(section));
  }
  Json json = report::make_report_json(machine, plan, kVersion);
  if (context.looks_at_this_host()) add_built(catalog, machine, document, json);
  context.print(document, json);
  return ExitCode::ok;
}

}  // namespace

std::function<ExitCode()> add_report(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<ReportFlags>();
  app.add_option("--record", flags->record,
                 "write this machine's facts to a file, for --for elsewhere")
      ->type_name("FILE");
  app.add_flag("--full", flags->full, "record the home folder's name and trial compiles, too");
  add_for_option(app, context.options, "report a machine that was recorded, not this one");
  app.add_option("--bundle", flags->bundle,
                 "tell which images of this bundle each --for machine would load, or why none")
      ->type_name("DIR");
  app.add_flag("--strict", flags->strict, "with --bundle: exit 1 when something has no image");
  app.add_flag("--devices", flags->devices,
               "ask the vendors' libraries, too: memory, parts, power and use of each device");
  app.add_flag("--libraries", flags->libraries,
               "compile and link something with each library, by the host's compiler");
  add_catalog_options(app, context.options);
  add_machine_options(app, context.options, true);
  add_document_format_option(app, context.options);
  const CLI::Option* accelerators =
      app.add_option("--accelerators", context.options.accelerators,
                     "all accelerators: detected, usable, or why not; with a list, the report as "
                     "a build for these would see it (DS_ACCELERATOR)")
          ->type_name("LIST")
          ->expected(0, 1);
  return [&context, accelerators, flags] {
    const bool all = accelerators->count() > 0 && context.options.accelerators.empty();
    return all ? run_accelerators(context) : run_report(context, *flags);
  };
}

}  // namespace dsbuild::cli
