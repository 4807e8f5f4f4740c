#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"

namespace dsbuild::cli {
namespace {

std::vector<std::string> accelerators_of(const manifest::Op& op, const manifest::Catalog& catalog) {
  std::set<std::string> names;
  for (const manifest::KernelSet& set : op.kernels) {
    for (const auto& [name, filter] : set.on) names.insert(name);
  }
  for (const manifest::ExtensionPart& part : op.parts) {
    for (const auto& [name, filter] : part.on) names.insert(name);
  }
  if (op.kind == manifest::OpKind::shared_library && op.kernels.empty())
    names.insert(catalog.host().name);
  return {names.begin(), names.end()};
}

ExitCode run_list(Context& context) {
  const manifest::Catalog catalog = context.read_catalog();
  if (context.options.format == Format::json) {
    Json ops = Json::array();
    for (const auto& [name, op] : catalog.ops) {
      ops.push_back({{"name", name},
                     {"kind", manifest::kind_name(op.kind)},
                     {"summary", op.summary},
                     {"accelerators", accelerators_of(op, catalog)},
                     {"manifest", op.file.string()}});
    }
    context.print(dump_json({{"schema", 1}, {"ops", ops}}));
    return ExitCode::ok;
  }
  report::Section section{"", {"op", "accelerators", "what"}, {}, {}};
  for (const auto& [name, op] : catalog.ops) {
    section.rows.push_back({{name}, {join(accelerators_of(op, catalog), " ")}, {op.summary}});
  }
  context.print(report::render_text({"", {section}}, context.style(STDOUT_FILENO)));
  return ExitCode::ok;
}

}  // namespace

std::function<ExitCode()> add_list(CLI::App& app, Context& context) {
  add_catalog_options(app, context.options);
  add_format_option(app, context.options);
  return [&context] { return run_list(context); };
}

}  // namespace dsbuild::cli
