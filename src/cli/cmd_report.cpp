#include <unistd.h>
#include <CLI/CLI.hpp>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/version.h"
#include "report/build_report.h"

namespace dsbuild::cli {
namespace {

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
  return [&context] { return run_report(context); };
}

}  // namespace dsbuild::cli
