#include "report/build_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "report/accelerator_section.h"
#include "report/source_sections.h"
#include "report/survey_sections.h"
#include "report/torch_section.h"
#include "report/versions.h"

namespace dsbuild::report {
namespace {

template <typename T>
Cell unknown_cell(const Fact<T>& fact) {
  return {"unknown: " + (fact.source.empty() ? "" : fact.source + ": ") + fact.reason,
          Tone::warning};
}

Cell fact_cell(const Fact<std::string>& fact) {
  return fact ? Cell{*fact} : unknown_cell(fact);
}

Section host_section(const probe::Machine& machine) {
  Section section{"host", {}, {}, {}};
  const auto add = [&section](const char* name, Cell cell) {
    section.rows.push_back({{name}, std::move(cell)});
  };
  add("system", fact_cell(machine.host.os));
  add("kernel", fact_cell(machine.host.kernel));
  add("libc", fact_cell(machine.host.libc));
  const auto& memory = machine.host.memory;
  add("memory", memory ? Cell{format_size(static_cast<unsigned long long>(*memory)) + " (" +
                              memory.source + ")"}
                       : unknown_cell(memory));
  const auto& cpus = machine.host.cpus;
  add("threads",
      cpus ? Cell{std::to_string(*cpus) + " (" + cpus.source + ")"} : unknown_cell(cpus));
  add("cpu", fact_cell(machine.cpu.model));
  add("level", fact_cell(machine.cpu.level));
  section.notes = machine.problems;
  return section;
}

/// Absent, not demanded, and for accelerators that were looked for and are not here.
bool is_of_no_use(const probe::Toolchain& toolchain, const probe::Machine& machine) {
  if (toolchain.state != probe::ToolchainState::absent || toolchain.demanded) return false;
  bool of_others = false;
  for (const probe::AcceleratorState& state : machine.accelerators.list) {
    const auto& kinds = state.kinds;
    if (std::find(kinds.begin(), kinds.end(), toolchain.kind) == kinds.end()) continue;
    if (state.detected == probe::Presence::yes) return false;
    of_others = true;
  }
  return of_others;
}

Section toolchain_section(const probe::Machine& machine) {
  Section section{"toolchains", {"kind", "version", "state", "where"}, {}, {}};
  std::string last_kind;
  std::vector<std::string> of_no_use;
  for (const probe::Toolchain& toolchain : machine.toolchains) {
    if (is_of_no_use(toolchain, machine)) {
      of_no_use.push_back(toolchain.kind);
      continue;
    }
    const bool first = toolchain.kind != last_kind;
    last_kind = toolchain.kind;
    Cell state{"complete", Tone::good};
    if (toolchain.state == probe::ToolchainState::partial) state = {"partial", Tone::warning};
    if (toolchain.state == probe::ToolchainState::absent) state = {"absent", Tone::bad};
    std::vector<std::string> where;
    if (!toolchain.path.empty()) where.push_back(toolchain.path + " (" + toolchain.origin + ")");
    if (!toolchain.missing.empty()) where.push_back("missing: " + join(toolchain.missing, ", "));
    const auto& missing = toolchain.missing;
    const bool told =
        std::find(missing.begin(), missing.end(), toolchain.version.reason) != missing.end();
    if (!toolchain.version && !told) where.push_back(toolchain.version.reason);
    section.rows.push_back({{first ? toolchain.kind : ""},
                            {toolchain.version ? toolchain.version->number() : "-"},
                            state,
                            {join(where, "; ")}});
  }
  for (const probe::Tool& tool : machine.tools) {
    section.rows.push_back({{tool.name},
                            {tool.version ? tool.version->number() : "-"},
                            tool.path ? Cell{"found", Tone::good} : Cell{"absent", Tone::warning},
                            {tool.path ? *tool.path : tool.path.reason}});
  }
  if (!of_no_use.empty()) {
    section.notes.push_back("absent, for accelerators that are not detected: " +
                            join(of_no_use, ", "));
  }
  return section;
}

Section device_section(const probe::Machine& machine) {
  Section section{"devices", {"accelerator", "address", "id", "arch"}, {}, {}};
  for (const probe::Device& device : machine.devices) {
    Cell arch = fact_cell(device.arch);
    std::vector<std::string> more;
    if (!device.chip.empty()) more.push_back(device.chip);
    if (device.name) more.push_back(*device.name);
    if (device.memory) more.push_back(format_size(static_cast<unsigned long long>(*device.memory)));
    if (device.parts > 1) more.push_back(count_of(static_cast<std::size_t>(device.parts), "part"));
    if (device.numa_node) more.push_back(fmt::format("NUMA node {}", *device.numa_node));
    if (device.driver)
      more.push_back(*device.driver + (device.driver_version ? " " + *device.driver_version : ""));
    if (!more.empty()) arch.text += " (" + join(more, ", ") + ")";
    section.rows.push_back({{device.accelerator}, {device.address}, {device.id}, arch});
    if (!device.problem.empty()) {
      section.notes.push_back(device.address + ": " + device.problem +
                              (device.fix.empty() ? "" : "; " + device.fix));
    }
    for (const std::string& note : device.disagreements)
      section.notes.push_back(device.address + ": " + note);
  }
  if (machine.devices.empty()) {
    section.notes.push_back("none on the PCI bus; building needs none");
  }
  return section;
}

Section settings_section(const plan::Plan& plan) {
  Section section{"settings", {"name", "from", "value"}, {}, {}};
  for (const plan::Setting& setting : plan.settings) {
    section.rows.push_back({{setting.name}, {setting.origin, Tone::dim}, {setting.value}});
  }
  return section;
}

/// The one of the same reason, or a new one.
Skip& skip_for(OpRow& row, const plan::Reason& reason) {
  for (Skip& skip : row.skips) {
    if (skip.reason.text == reason.text && skip.reason.hint == reason.hint) return skip;
  }
  return row.skips.emplace_back(Skip{{}, reason});
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
    names.push_back(name);
}

Json reason_json(const Skip& skip) {
  return {{"archs", skip.archs},
          {"code", reason_row(skip.reason.code).id},
          {"text", skip.reason.text},
          {"hint", skip.reason.hint}};
}

}  // namespace

std::string Skip::text() const {
  return (archs.empty() ? "" : join(archs, " ") + ": ") + with_hint(reason);
}

std::vector<OpRow> summarize_ops(const plan::Plan& plan) {
  std::vector<OpRow> rows;
  std::string usual_form;
  for (const plan::Entry& entry : plan.entries) {
    if (entry.is_host_library()) continue;
    if (rows.empty() || rows.back().op != entry.op ||
        rows.back().accelerator != entry.accelerator) {
      rows.push_back({entry.op, entry.accelerator, {}, {}});
      usual_form = entry.form;
    }
    OpRow& row = rows.back();
    if (entry.state == plan::EntryState::planned) {
      // A library that holds several archs lists them; the host code of an extension has a level.
      for (const std::string& arch : entry.archs) add_once(row.archs, arch);
      const auto level = entry.needs.find("cpu");
      if (entry.is_extension() && level != entry.needs.end()) add_once(row.archs, level->second);
      if (!entry.arch.empty())
        add_once(row.archs, entry.arch + (entry.form == usual_form ? "" : "+" + entry.form));
    } else if (entry.reason) {
      add_once(skip_for(row, *entry.reason).archs, entry.arch);
    }
  }
  return rows;
}

Section make_ops_section(const plan::Plan& plan, std::string title, std::string heading) {
  Section section{std::move(title), {"op", "accelerator", std::move(heading)}, {}, {}};
  std::string last_op;
  for (const OpRow& row : summarize_ops(plan)) {
    std::vector<Cell> cells;
    if (!row.archs.empty()) cells.push_back({join(row.archs, " "), Tone::good});
    for (const Skip& skip : row.skips) {
      const bool by_manifest = skip.reason.code == plan::ReasonCode::no_kernel;
      cells.push_back({(row.archs.empty() ? "" : "not ") + skip.text(),
                       by_manifest ? Tone::dim : Tone::warning});
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      section.rows.push_back(
          {{i == 0 && row.op != last_op ? row.op : ""}, {i == 0 ? row.accelerator : ""}, cells[i]});
    }
    last_op = row.op;
  }
  return section;
}

Document make_report(const probe::Machine& machine, const plan::Plan& plan,
                     std::string_view dsbuild_version) {
  Document document;
  document.title = "dsbuild " + std::string(dsbuild_version) + " environment report";
  document.sections = {host_section(machine), accelerator_section(machine.accelerators),
                       toolchain_section(machine), device_section(machine)};
  Section versions = versions_section(machine);
  if (!versions.rows.empty()) document.sections.push_back(std::move(versions));
  if (machine.survey) {
    for (Section& section : visible_sections(machine.visible))
      document.sections.push_back(std::move(section));
    document.sections.push_back(frameworks_section(*machine.survey));
    if (!machine.torches.empty()) document.sections.push_back(torch_section(machine.torches));
    document.sections.push_back(libraries_section(*machine.survey));
    document.sections.push_back(limits_section(*machine.survey));
  }
  document.sections.push_back(settings_section(plan));
  document.sections.push_back(make_ops_section(plan, "ops", "can be built for"));
  return document;
}

Json make_report_json(const probe::Machine& machine, const plan::Plan& plan,
                      std::string_view dsbuild_version) {
  Json ops = Json::array();
  for (const OpRow& row : summarize_ops(plan)) {
    Json item{{"op", row.op}, {"accelerator", row.accelerator}, {"archs", row.archs}};
    Json& skipped = item["skipped"] = Json::array();
    for (const Skip& skip : row.skips) skipped.push_back(reason_json(skip));
    ops.push_back(std::move(item));
  }
  Json settings = Json::array();
  for (const plan::Setting& setting : plan.settings) {
    settings.push_back(
        {{"name", setting.name}, {"value", setting.value}, {"origin", setting.origin}});
  }
  return {{"schema", 1},
          {"dsbuild", dsbuild_version},
          {"machine", probe::to_json(machine)},
          {"settings", settings},
          {"ops", ops}};
}

}  // namespace dsbuild::report
