#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/tree_check.h"
#include "manifest/read.h"

namespace dsbuild::cli {
namespace {

ExitCode run_check(Context& context, const std::vector<std::string>& files) {
  for (const std::string& file : files) context.options.manifests.push_back(file);
  Diagnostics diagnostics;
  const manifest::Catalog catalog =
      manifest::read_catalog(context.host_system(), context.catalog_sources(), diagnostics);
  const std::string of_tree =
      catalog.tree ? check_tree(context.host_system(), catalog, diagnostics) : "";
  if (context.options.format == Format::json) {
    Json problems = Json::array();
    for (const Diagnostic& d : diagnostics.all()) {
      problems.push_back({{"severity", d.severity == Severity::error ? "error" : "warning"},
                          {"file", d.file},
                          {"where", d.where},
                          {"message", d.message},
                          {"hint", d.hint}});
    }
    context.print(dump_json({{"schema", 1}, {"problems", problems}}));
  } else {
    for (const Diagnostic& d : diagnostics.all()) context.print(render_diagnostic(d) + "\n");
    if (diagnostics.all().empty()) {
      if (!of_tree.empty()) context.print(of_tree + "\n");
      context.print(fmt::format("{} and {}: no problem found\n", count_of(catalog.ops.size(), "op"),
                                count_of(catalog.accelerators.size(), "accelerator")));
    }
  }
  return diagnostics.has_errors() ? ExitCode::bad_input : ExitCode::ok;
}

}  // namespace

std::function<ExitCode()> add_check(CLI::App& app, Context& context) {
  const auto files = std::make_shared<std::vector<std::string>>();
  app.add_option("FILE", *files, "op manifests to check besides the catalog")->type_name("");
  add_catalog_options(app, context.options);
  add_format_option(app, context.options);
  return [&context, files] { return run_check(context, *files); };
}

}  // namespace dsbuild::cli
