#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/op_text.h"
#include "cli/options.h"
#include "cli/plan_text.h"

namespace dsbuild::cli {
namespace {

ExitCode run_show(Context& context, const std::string& name, bool resolved) {
  const manifest::Catalog catalog = context.read_catalog();
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
    const probe::Machine machine = context.probe(catalog);
    const plan::Plan plan = context.plan(context.request(catalog, machine), catalog, machine);
    json["plan"] = plan::to_json(plan);
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
