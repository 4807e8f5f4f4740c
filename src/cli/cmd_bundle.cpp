#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "bundle/bundle.h"
#include "bundle/consumer.h"
#include "cli/bundle_export.h"
#include "cli/bundle_install.h"
#include "cli/commands.h"
#include "cli/options.h"

namespace dsbuild::cli {
namespace {

constexpr const char* kConsumerFlag = "--consumer";

/// "torch=2.2" of the command line.
std::map<std::string, Version> parse_consumer(const std::vector<std::string>& words) {
  std::map<std::string, Version> consumer;
  for (const std::string& word : words) {
    const auto equals = std::min(word.find('='), word.size());
    const auto version = Version::parse(word.substr(std::min(equals + 1, word.size())));
    if (equals == 0 || !version) {
      throw Error(ExitCode::bad_input, fmt::format("'{}' is no NAME=VERSION", word), kConsumerFlag,
                  fmt::format("write for example {} torch=2.2", kConsumerFlag));
    }
    consumer.insert_or_assign(word.substr(0, equals), *version);
  }
  return consumer;
}

/// A name that nothing of the bundle needs is a slip: with it nothing would be checked.
void check_names(const std::map<std::string, Version>& consumer, const bundle::BundleIndex& index) {
  const std::set<std::string> names = bundle::consumer_names(index);
  for (const auto& [name, version] : consumer) {
    if (names.contains(name)) continue;
    throw Error(ExitCode::bad_input, "no file of the bundle needs a version of " + name,
                kConsumerFlag,
                names.empty() ? "leave it out"
                              : "name one of these: " + join({names.begin(), names.end()}, ", "));
  }
}

ExitCode run_verify(Context& context, const std::string& folder,
                    const std::vector<std::string>& consumer_words) {
  const std::map<std::string, Version> consumer = parse_consumer(consumer_words);
  const bundle::BundleIndex index = bundle::read_bundle(folder);
  check_names(consumer, index);
  std::vector<Diagnostic> problems = bundle::check_bundle(folder, index);
  for (Diagnostic& problem : bundle::check_consumer(index, consumer))
    problems.push_back(std::move(problem));
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
                      : fmt::format("{}: {}\n", folder, count_of(problems.size(), "problem")));
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
  const auto consumer = std::make_shared<std::vector<std::string>>();
  verify
      ->add_option(kConsumerFlag, *consumer,
                   "what is to load it, such as torch=2.2 or python=3.11: each file must be for it "
                   "(repeatable)")
      ->type_name("NAME=VERSION")
      ->allow_extra_args(false);
  add_format_option(*verify, context.options);
  const std::function<ExitCode()> install = add_bundle_install(app, context);
  const std::function<ExitCode()> write = add_bundle_export(app, context);
  return [&app, &context, folder, consumer, verify, install, write] {
    if (verify->parsed()) return run_verify(context, *folder, *consumer);
    return app.got_subcommand("install") ? install() : write();
  };
}

}  // namespace dsbuild::cli
