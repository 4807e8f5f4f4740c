#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/plan_text.h"

namespace dsbuild::cli {
namespace {

ExitCode run_plan(Context& context, const std::string& why) {
  manifest::Catalog catalog = context.read_catalog();
  if (!why.empty()) context.options.ops = why;
  const probe::Machine machine = context.probe(catalog);
  const plan::Plan plan = context.plan(context.request(catalog, machine), catalog, machine);
  if (context.options.format == Format::json) {
    context.print(dump_json(plan::to_json(plan)));
  } else if (!why.empty()) {
    context.print(report::render_text(explain_op(plan, why), context.style(STDOUT_FILENO)));
  } else {
    context.print(report::render_text(describe_plan(plan), context.style(STDOUT_FILENO)));
  }
  const ExitCode verdict = plan.verdict();
  if (verdict != ExitCode::ok && context.options.format == Format::text) {
    for (const std::string& line : missing_lines(plan)) context.note("dsbuild: " + line);
  }
  return verdict;
}

}  // namespace

std::function<ExitCode()> add_plan(CLI::App& app, Context& context) {
  const auto why = std::make_shared<std::string>();
  app.add_option("--why", *why, "tell each arch's story for one op")->type_name("OP");
  add_request_options(app, context.options);
  add_unity_option(app, context.options);
  add_catalog_options(app, context.options);
  add_machine_options(app, context.options, true);
  add_format_option(app, context.options);
  return [&context, why] { return run_plan(context, *why); };
}

}  // namespace dsbuild::cli
