#include "cli/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/error.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/version.h"

namespace dsbuild::cli {
namespace {

/// The flags and subcommands that could have been meant.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  return known;
}

/// The message of a parse error, with the nearest word for one that nobody knows.
Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& asked = chosen.empty() ? app : *chosen.front();
  const std::string usage =
      "see dsbuild " + (chosen.empty() ? "" : asked.get_name() + " ") + "--help";
  for (const std::string& word : app.remaining(true)) {
    const std::string name = word.substr(0, word.find('='));
    const std::vector<std::string> known = known_words(asked);
    const std::string near = nearest(name, known);
    const char* kind = word.starts_with("-") ? "option" : chosen.empty() ? "command" : "argument";
    return Error(ExitCode::bad_input, fmt::format("unknown {} '{}'", kind, word), "command line",
                 near.empty() ? usage : fmt::format("did you mean '{}'? {}", near, usage));
  }
  return Error(ExitCode::bad_input, error.what(), "command line", usage);
}

}  // namespace

ExitCode run_command_line(int argc, char** argv) {
  Context context;
  CLI::App app(
      "Builds accelerator kernels ahead of time, says why what can't be built can't, and ships a "
      "bundle.",
      "dsbuild");
  app.set_version_flag("--version", std::string("dsbuild ") + kVersion);
  app.require_subcommand(0, 1);
  std::function<ExitCode()> run;
  for (const CommandRow& row : kCommands) {
    CLI::App* command = app.add_subcommand(std::string(row.name), std::string(row.summary));
    command
        ->add_option("--colour,--color", context.options.colour, "auto, always or never (NO_COLOR)")
        ->type_name("WHEN")
        ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
    const std::function<ExitCode()> action = row.add(*command, context);
    command->callback([&run, action] { run = action; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    app.exit(asked_for_help);
    return ExitCode::ok;
  } catch (const CLI::ParseError& error) {
    throw usage_error(app, error);
  }
  if (!run) {
    context.print(app.help());
    return ExitCode::bad_input;
  }
  context.apply_options();
  return run();
}

}  // namespace dsbuild::cli
