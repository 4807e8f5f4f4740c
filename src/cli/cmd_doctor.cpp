#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "report/findings.h"

namespace dsbuild::cli {
namespace {

ExitCode run_doctor(Context& context, bool strict, bool devices) {
  manifest::Catalog catalog = context.read_catalog(Context::Problems::tell);
  probe::Machine machine = context.survey(catalog);
  if (devices) context.ask_devices(machine);
  const plan::Request request = context.request(catalog, machine);
  const plan::Plan plan = context.plan(request, catalog, machine, Context::Problems::tell);
  const auto relevant = report::relevant_accelerators(catalog, machine, request);
  const auto findings = report::make_findings(catalog, machine, plan, relevant);
  context.print(report::describe_findings(findings, relevant),
                report::findings_to_json(findings, relevant));
  const bool found = std::any_of(findings.begin(), findings.end(), [](const auto& finding) {
    return finding.weight != report::Weight::note;
  });
  return strict && found ? ExitCode::step_failed : ExitCode::ok;
}

}  // namespace

std::function<ExitCode()> add_doctor(CLI::App& app, Context& context) {
  const auto strict = std::make_shared<bool>(false);
  app.add_flag("--strict", *strict, "exit 1 when there is an error or a warning");
  const auto devices = std::make_shared<bool>(false);
  app.add_flag("--devices", *devices,
               "ask the vendors' libraries, too: what is wrong with a driver");
  add_request_options(app, context.options);
  add_catalog_options(app, context.options);
  add_machine_options(app, context.options, true);
  add_document_format_option(app, context.options);
  return [&context, strict, devices] { return run_doctor(context, *strict, *devices); };
}

}  // namespace dsbuild::cli
