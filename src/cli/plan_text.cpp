#include "cli/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "report/build_report.h"

namespace dsbuild::cli {
namespace {

using plan::Entry;
using plan::EntryState;

std::string entry_name(const Entry& entry) {
  std::string name = entry.op + ", " + entry.accelerator;
  if (!entry.arch.empty()) name += " " + entry.arch;
  if (!entry.variant.empty()) name += " " + entry.variant;
  return name;
}

bool is_planned(const Entry& entry) {
  return entry.state == EntryState::planned;
}

/// What makes a planned entry; and what it needs that only a compiler can tell, which a plan starts
/// none of.
std::string story(const plan::Plan& plan, const Entry& entry) {
  std::string text = entry.toolchain + " makes " + entry.artifact;
  for (const plan::Trial& trial : plan.trials) {
    const bool of_entry =
        std::find(entry.trials.begin(), entry.trials.end(), trial.key) != entry.trials.end();
    if (of_entry && !trial.need.empty()) text += ", if its build finds the " + trial.need;
  }
  return text;
}

}  // namespace

report::Document describe_plan(const plan::Plan& plan) {
  report::Section ops = report::make_ops_section(plan, "", "will be built for");
  ops.notes = plan.notes;
  const auto planned = std::count_if(plan.entries.begin(), plan.entries.end(), is_planned);
  report::Document document;
  document.title = fmt::format("{} from {}", count_of(static_cast<std::size_t>(planned), "file"),
                               count_of(plan.steps.size(), "step"));
  document.sections = {ops};
  return document;
}

report::Document explain_op(const plan::Plan& plan, std::string_view op) {
  report::Section section{"", {"accelerator", "arch", "state", "why"}, {}, {}};
  for (const Entry& entry : plan.entries) {
    if (entry.op != op) continue;
    std::string arch = entry.is_host_library() ? "host library" : entry.arch;
    if (!entry.variant.empty()) arch += " " + entry.variant;
    if (is_planned(entry)) {
      section.rows.push_back(
          {{entry.accelerator}, {arch}, {"planned", report::Tone::good}, {story(plan, entry)}});
    } else {
      section.rows.push_back({{entry.accelerator},
                              {arch},
                              {"skipped", report::Tone::warning},
                              {entry.reason ? plan::with_hint(*entry.reason) : ""}});
    }
  }
  return {std::string(op), {section}};
}

report::Document list_commands(const plan::Plan& plan, std::string_view op) {
  std::map<std::string_view, const plan::Step*> steps;
  for (const plan::Step& step : plan.steps) steps[step.id] = &step;
  report::Document document;
  for (const Entry& entry : plan.entries) {
    if (entry.op != op) continue;
    report::Section section{
        entry_name(entry) + (entry.is_host_library() ? " host library" : ""), {}, {}, {}};
    if (is_planned(entry)) {
      section.rows.push_back({{"toolchain"}, {entry.toolchain}});
      section.rows.push_back({{"file"}, {entry.artifact}});
      for (const auto& [name, value] : entry.needs)
        section.rows.push_back({{"needs"}, {name + " " + value}});
      for (const std::string& id : entry.steps) {
        const auto step = steps.find(id);
        if (step != steps.end())
          section.rows.push_back({{"command"}, {shell_join(step->second->argv)}});
      }
    } else if (entry.reason) {
      section.rows.push_back(
          {{"skipped"}, {plan::with_hint(*entry.reason), report::Tone::warning}});
    }
    document.sections.push_back(std::move(section));
  }
  return document;
}

std::vector<std::string> missing_lines(const plan::Plan& plan) {
  std::vector<std::string> lines;
  for (const Entry& entry : plan.entries) {
    if (is_planned(entry) || !entry.required || !entry.reason) continue;
    const std::string line = entry_name(entry) + ": " + plan::with_hint(*entry.reason);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> planned_accelerators(const plan::Plan& plan) {
  std::set<std::string> names;
  for (const Entry& entry : plan.entries) {
    if (is_planned(entry) && !entry.is_host_library()) names.insert(entry.accelerator);
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> skipped_archs(const plan::Plan& plan) {
  std::vector<std::string> lines;
  for (const report::OpRow& row : report::summarize_ops(plan)) {
    for (const report::Skip& skip : row.skips) {
      const bool by_manifest = skip.reason.code == plan::ReasonCode::arch_filter_empty;
      if (row.archs.empty() || by_manifest) continue;
      const std::string line = row.accelerator + " " + skip.text();
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
  }
  return lines;
}

std::vector<std::string> skipped_accelerators(const plan::Plan& plan) {
  const std::vector<std::string> planned = planned_accelerators(plan);
  std::map<std::string, std::string> lines;
  for (const Entry& entry : plan.entries) {
    const bool silent =
        is_planned(entry) || entry.is_host_library() || !entry.reason ||
        entry.reason->code == plan::ReasonCode::no_kernel ||
        entry.reason->code == plan::ReasonCode::accelerator_not_requested ||
        std::find(planned.begin(), planned.end(), entry.accelerator) != planned.end();
    if (!silent)
      lines.emplace(entry.accelerator, entry.accelerator + ": " + plan::with_hint(*entry.reason));
  }
  std::vector<std::string> result;
  for (auto& [accelerator, line] : lines) result.push_back(std::move(line));
  return result;
}

}  // namespace dsbuild::cli
