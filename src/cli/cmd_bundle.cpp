#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "bundle/bundle.h"
#include "cli/bundle_export.h"
#include "cli/bundle_install.h"
#include "cli/commands.h"
#include "cli/options.h"

namespace dsbuild::cli {
namespace {

ExitCode run_verify(Context& context, const std::string& folder) {
  const bundle::BundleIndex index = bundle::read_bundle(folder);
  const std::vector<Diagnostic> problems = bundle::check_bundle(folder, index);
  if (context.options.format == Format::json) {
    Json list = Json::array();
    for (const Diagnostic& d : problems) {
      list.push_back(
          {{"file", d.file}, {"where", d.where}, {"message", d.message}, {"hint", d.hint}});
    }
    context.print(dump_json({{"schema", 1}, {"bundle", folder}, {"problems", list}}));
  } else {
    for (const Diagnostic& problem : problems) context.print(render_diagnostic(problem) + "\n");
    context.print(problems.empty()
                      ? fmt::format("{}: {} as bundle.json says\n", folder,
                                    count_of(index.files.size(), "file"))
                      : fmt::format("{}: {}\n", folder, count_of(problems.size(), "mismatch")));
  }
  return problems.empty() ? ExitCode::ok : ExitCode::bad_artifact;
}

}  // namespace

std::function<ExitCode()> add_bundle(CLI::App& app, Context& context) {
  app.require_subcommand(1);
  const auto folder = std::make_shared<std::string>();
  CLI::App* verify = app.add_subcommand(
      "verify", "check every file of a bundle against bundle.json: hash, symbols, kernels, arch");
  verify->add_option("DIR", *folder, "the bundle")->required()->type_name("");
  add_format_option(*verify, context.options);
  const std::function<ExitCode()> install = add_bundle_install(app, context);
  const std::function<ExitCode()> write = add_bundle_export(app, context);
  return [&app, &context, folder, verify, install, write] {
    if (verify->parsed()) return run_verify(context, *folder);
    return app.got_subcommand("install") ? install() : write();
  };
}

}  // namespace dsbuild::cli
