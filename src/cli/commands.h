// The subcommands: one row and one cmd_<name>.cpp each. The table makes the command line, its help
// and the documents. Knows their names, not what they do.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "base/exit_code.h"
#include "cli/context.h"

namespace CLI {
class App;
}

namespace dsbuild::cli {

/// Adds a command's options to `app` and returns what runs it once they are parsed.
using AddCommand = std::function<ExitCode()> (*)(CLI::App& app, Context& context);

struct CommandRow {
  std::string_view name;
  std::string_view summary;
  AddCommand add;
};

std::function<ExitCode()> add_build(CLI::App& app, Context& context);
std::function<ExitCode()> add_load(CLI::App& app, Context& context);
std::function<ExitCode()> add_plan(CLI::App& app, Context& context);
std::function<ExitCode()> add_report(CLI::App& app, Context& context);
std::function<ExitCode()> add_doctor(CLI::App& app, Context& context);
std::function<ExitCode()> add_bundle(CLI::App& app, Context& context);
std::function<ExitCode()> add_cache(CLI::App& app, Context& context);
std::function<ExitCode()> add_list(CLI::App& app, Context& context);
std::function<ExitCode()> add_show(CLI::App& app, Context& context);
std::function<ExitCode()> add_check(CLI::App& app, Context& context);
std::function<ExitCode()> add_help(CLI::App& app, Context& context);

inline constexpr std::array<CommandRow, 11> kCommands{{
    {"build", "build ops and publish a bundle of them", add_build},
    {"load", "print where a built op is, building it first when it is missing", add_load},
    {"plan", "tell what would be built, and why the rest can't be", add_plan},
    {"report", "tell what this machine is and what can be built on it", add_report},
    {"doctor", "tell what is wrong with this machine, worst first, and what mends it", add_doctor},
    {"bundle", "check, install or export a bundle: bundle verify, bundle install, bundle export",
     add_bundle},
    {"cache", "tell of a step cache, or make it smaller: cache stats, cache clean", add_cache},
    {"list", "list the ops of the catalog", add_list},
    {"show", "show one op: sources, flags, needs, and the reason per arch", add_show},
    {"check", "check manifests and tell every problem at its place", add_check},
    {"help", "explain a topic: commands, exit-codes, reasons, settings", add_help},
}};

}  // namespace dsbuild::cli
