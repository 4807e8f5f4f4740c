#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/settings.h"
#include "plan/reasons.h"

namespace dsbuild::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// A topic: a table that the program itself uses.
struct Topic {
  std::string_view name;
  std::vector<std::string> columns;
  Rows (*rows)(Context& context);
};

Rows exit_code_rows(Context&) {
  Rows rows;
  for (const ExitCodeRow& row : kExitCodes) {
    rows.push_back({std::to_string(static_cast<int>(row.code)), std::string(row.meaning)});
  }
  return rows;
}

Rows reason_rows(Context&) {
  Rows rows;
  for (const plan::ReasonRow& row : plan::kReasons) {
    rows.push_back({std::string(row.id), std::string(row.meaning),
                    std::to_string(static_cast<int>(row.when_required))});
  }
  return rows;
}

Rows setting_rows(Context& context) {
  Rows rows;
  for (const SettingRow& row : all_settings(context.read_catalog())) {
    rows.push_back({row.variable, row.flag, row.meaning});
  }
  return rows;
}

Rows command_rows(Context&) {
  Rows rows;
  for (const CommandRow& row : kCommands)
    rows.push_back({std::string(row.name), std::string(row.summary)});
  return rows;
}

const std::vector<Topic>& topics() {
  static const std::vector<Topic> kTopics{
      {"commands", {"command", "what it does"}, command_rows},
      {"exit-codes", {"code", "meaning"}, exit_code_rows},
      {"reasons", {"reason", "meaning", "exit code when it was named"}, reason_rows},
      {"settings", {"variable", "flag", "meaning"}, setting_rows},
  };
  return kTopics;
}

std::string render_markdown(const std::vector<std::string>& columns, const Rows& rows) {
  const auto line = [](const std::vector<std::string>& cells) {
    return "| " + join(cells, " | ") + " |\n";
  };
  std::string text = line(columns) + "|" + [&] {
    std::string rule;
    for (std::size_t i = 0; i < columns.size(); ++i) rule += " --- |";
    return rule;
  }() + "\n";
  for (const auto& row : rows) text += line(row);
  return text;
}

ExitCode run_help(Context& context, const std::string& name, const std::string& form) {
  std::vector<std::string> names;
  for (const Topic& topic : topics()) {
    names.emplace_back(topic.name);
    if (name != topic.name) continue;
    const Rows rows = topic.rows(context);
    if (form == "md") {
      context.print(render_markdown(topic.columns, rows));
      return ExitCode::ok;
    }
    report::Section section{"", topic.columns, {}, {}};
    for (const auto& row : rows) {
      section.rows.emplace_back();
      for (const std::string& text : row) section.rows.back().push_back({text});
    }
    context.print(report::render_text({"", {section}}, context.style(STDOUT_FILENO)));
    return ExitCode::ok;
  }
  throw Error(ExitCode::bad_input, "there is no topic '" + name + "'", "help",
              did_you_mean(name, names));
}

}  // namespace

std::function<ExitCode()> add_help(CLI::App& app, Context& context) {
  const auto name = std::make_shared<std::string>("commands");
  const auto form = std::make_shared<std::string>("text");
  app.add_option("TOPIC", *name, "commands, exit-codes, reasons or settings")->type_name("");
  app.add_option("--format", *form, "text or md")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "md"}).description(""));
  add_catalog_options(app, context.options);
  return [&context, name, form] { return run_help(context, *name, *form); };
}

}  // namespace dsbuild::cli
