#include <unistd.h>
#include <CLI/CLI.hpp>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/version.h"
#include "report/accelerator_section.h"
#include "report/build_report.h"

namespace dsbuild::cli {
namespace {

/// `report --accelerators` without a list.
ExitCode run_accelerators(Context& context) {
  const manifest::Catalog catalog = context.read_catalog(Context::Problems::tell);
  const probe::AcceleratorStates states = context.probe(catalog).accelerators;
  if (context.options.format == Format::json) {
    context.print(dump_json(
        {{"schema", 1}, {"dsbuild", kVersion}, {"accelerators", probe::to_json(states)}}));
  } else {
    context.print(report::render_text(report::make_accelerators_report(states),
                                      context.style(STDOUT_FILENO)));
  }
  return ExitCode::ok;
}

ExitCode run_report(Context& context) {
  // A report is made whatever is wrong: what can't be read is said on stderr and left out.
  const manifest::Catalog catalog = context.read_catalog(Context::Problems::tell);
  const probe::Machine machine = context.probe(catalog);
  const plan::Plan plan =
      context.plan(context.request(catalog), catalog, machine, Context::Problems::tell);
  if (context.options.format == Format::json) {
    context.print(dump_json(report::make_report_json(machine, plan, kVersion)));
  } else {
    context.print(report::render_text(report::make_report(machine, plan, kVersion),
                                      context.style(STDOUT_FILENO)));
  }
  return ExitCode::ok;
}

}  // namespace

std::function<ExitCode()> add_report(CLI::App& app, Context& context) {
  add_catalog_options(app, context.options);
  add_machine_options(app, context.options, true);
  add_format_option(app, context.options);
  const CLI::Option* accelerators =
      app.add_option("--accelerators", context.options.accelerators,
                     "all accelerators: detected, usable, or why not; with a list, the report as "
                     "a build for these would see it (DS_ACCELERATOR)")
          ->type_name("LIST")
          ->expected(0, 1);
  return [&context, accelerators] {
    const bool all = accelerators->count() > 0 && context.options.accelerators.empty();
    return all ? run_accelerators(context) : run_report(context);
  };
}

}  // namespace dsbuild::cli
