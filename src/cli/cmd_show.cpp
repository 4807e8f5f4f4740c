#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/builder_answers.h"
#include "cli/commands.h"
#include "cli/op_text.h"
#include "cli/options.h"
#include "cli/plan_text.h"
#include "cli/planning.h"

namespace dsbuild::cli {
namespace {

/// The words are those of the plan; whether what the op needs is there is tried.
std::vector<BuilderAnswers> resolve_builder(Context& context, manifest::Catalog& catalog,
                                            const manifest::Op& op, probe::Machine& machine,
                                            const plan::Plan& untried) {
  std::vector<BuilderAnswers> answers = find_builder_answers(untried, catalog, op);
  const auto progress = run::make_plain_progress(STDERR_FILENO);
  const int jobs = static_cast<int>(machine.host.cpus.value.value_or(1));
  const plan::Plan tried = plan_with_trials(context, context.request(catalog, machine), catalog,
                                            machine, jobs, *progress);
  for (const BuilderAnswers& now : find_builder_answers(tried, catalog, op)) {
    for (BuilderAnswers& one : answers) {
      const bool same =
          one.accelerator == now.accelerator && (one.variant == now.variant || now.variant.empty());
      if (!same) continue;
      one.is_compatible = now.is_compatible;
      one.reason = now.reason;
    }
  }
  return answers;
}

ExitCode run_show(Context& context, const std::string& name, bool resolved) {
  manifest::Catalog catalog = context.read_catalog();
  const auto found = catalog.ops.find(name);
  if (found == catalog.ops.end()) {
    std::vector<std::string> names;
    for (const auto& [known, op] : catalog.ops) names.push_back(known);
    throw Error(ExitCode::bad_input, "there is no op '" + name + "'", "show",
                did_you_mean(name, names));
  }
  Json json{{"schema", 1}, {"op", op_to_json(found->second)}};
  report::Document document = describe_op(found->second);
  if (resolved) {
    context.options.ops = name;
    probe::Machine machine = context.probe(catalog);
    const plan::Plan plan = context.plan(context.request(catalog, machine), catalog, machine);
    json["plan"] = plan::to_json(plan);
    if (found->second.kind == manifest::OpKind::python_extension) {
      const auto answers = resolve_builder(context, catalog, found->second, machine, plan);
      json["builders"] = to_json(answers);
      for (report::Section& section : describe_answers(answers))
        document.sections.push_back(std::move(section));
    }
    for (report::Section& section : list_commands(plan, name).sections) {
      document.sections.push_back(std::move(section));
    }
  }
  context.print(context.options.format == Format::json
                    ? dump_json(json)
                    : report::render_text(document, context.style(STDOUT_FILENO)));
  return ExitCode::ok;
}

}  // namespace

std::function<ExitCode()> add_show(CLI::App& app, Context& context) {
  const auto name = std::make_shared<std::string>();
  const auto resolved = std::make_shared<bool>(false);
  app.add_option("OP", *name, "the op's name")->required()->type_name("");
  app.add_flag("--resolved", *resolved,
               "also the commands for each arch on this machine, or the reason");
  add_request_options(app, context.options);
  app.remove_option(app.get_option("--ops"));
  add_catalog_options(app, context.options);
  add_machine_options(app, context.options, true);
  add_format_option(app, context.options);
  return [&context, name, resolved] { return run_show(context, *name, *resolved); };
}

}  // namespace dsbuild::cli
