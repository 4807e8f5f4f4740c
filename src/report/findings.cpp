#include "report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/json.h"
#include "base/text.h"
#include "report/survey_findings.h"
#include "report/versions.h"

namespace dsbuild::report {
namespace {

using plan::ReasonCode;

struct WeightRow {
  std::string_view name;
  Tone tone;
};
/// In the order of Weight.
constexpr std::array<WeightRow, 3> kWeights{
    {{"error", Tone::bad}, {"warning", Tone::warning}, {"note", Tone::dim}}};

const WeightRow& row_of(Weight weight) {
  return kWeights[static_cast<std::size_t>(weight)];
}

/// What an op or a request leaves out is as it should be.
bool is_by_choice(ReasonCode code) {
  return code == ReasonCode::no_kernel || code == ReasonCode::arch_filter_empty ||
         code == ReasonCode::accelerator_not_requested;
}

void add_name(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
    names.push_back(name);
}

/// Entries of an accelerator that are skipped for one and the same reason.
struct Skipped {
  std::vector<std::string> ops;
  std::vector<std::string> archs;
};

void add_skips(const plan::Plan& plan, const std::set<std::string>& relevant,
               std::vector<Finding>& findings) {
  std::map<std::tuple<std::string, std::string, std::string>, Skipped> skips;
  std::set<std::string> built;
  for (const plan::Entry& entry : plan.entries) {
    if (entry.is_host_library() || !relevant.contains(entry.accelerator)) continue;
    if (entry.state == plan::EntryState::planned) built.insert(entry.accelerator);
    if (!entry.reason || is_by_choice(entry.reason->code)) continue;
    Skipped& skip = skips[{entry.accelerator, entry.reason->text, entry.reason->hint}];
    add_name(skip.ops, entry.op);
    add_name(skip.archs, entry.arch);
  }
  for (const auto& [key, skip] : skips) {
    const auto& [accelerator, text, hint] = key;
    const std::string archs = skip.archs.empty() ? "" : " " + join(skip.archs, ", ");
    findings.push_back(
        {built.contains(accelerator) ? Weight::warning : Weight::error, text,
         fmt::format("not built for {}{}: {}", accelerator, archs, join(skip.ops, ", ")), hint});
  }
}

void add_ninja(const probe::Machine& machine, std::vector<Finding>& findings) {
  const probe::Tool* ninja = machine.find_tool("ninja");
  if (ninja != nullptr && ninja->path) return;
  findings.push_back({Weight::error, ninja == nullptr ? "no ninja" : ninja->path.reason,
                      "nothing can be built", "apt-get install ninja-build"});
}

void add_problems(const probe::Machine& machine, std::vector<Finding>& findings) {
  for (const std::string& problem : machine.problems) {
    findings.push_back({Weight::warning, problem, "what it would have told is missing here",
                        "this is a bug of dsbuild: please report it with dsbuild report"});
  }
}

void add_devices(const probe::Machine& machine, const std::set<std::string>& relevant,
                 std::vector<Finding>& findings) {
  for (const probe::Device& device : machine.devices) {
    if (device.arch || !relevant.contains(device.accelerator)) continue;
    findings.push_back({Weight::warning,
                        fmt::format("the arch of the device {} at {} is not known: {}", device.id,
                                    device.address, device.arch.reason),
                        fmt::format("{}:native leaves it out", device.accelerator),
                        "name its arch: --arch " + device.accelerator + ":ARCH"});
  }
}

void add_environment(const plan::Plan& plan, std::vector<Finding>& findings) {
  for (const plan::Setting& setting : plan.settings) {
    if (setting.name != plan::kNotPassedOn) continue;
    findings.push_back({Weight::note, "set in the environment: " + setting.value,
                        "compilers don't see it when dsbuild starts them",
                        "put flags into the op's manifest"});
  }
}

}  // namespace

std::set<std::string> relevant_accelerators(const manifest::Catalog& catalog,
                                            const probe::Machine& machine,
                                            const plan::Request& request) {
  std::set<std::string> relevant;
  for (const std::string& name : request.accelerators) {
    if (const auto* accelerator = catalog.find_accelerator(name))
      relevant.insert(accelerator->name);
  }
  if (!relevant.empty()) return relevant;
  relevant.insert(catalog.host().name);
  for (const probe::Device& device : machine.devices) relevant.insert(device.accelerator);
  return relevant;
}

std::vector<Finding> make_findings(const manifest::Catalog& catalog, const probe::Machine& machine,
                                   const plan::Plan& plan, const std::set<std::string>& relevant) {
  std::vector<Finding> findings;
  add_ninja(machine, findings);
  add_problems(machine, findings);
  add_skips(plan, relevant, findings);
  add_devices(machine, relevant, findings);
  add_device_findings(catalog, machine, plan, relevant, findings);
  add_source_findings(machine, relevant, findings);
  if (machine.survey) add_survey_findings(*machine.survey, findings);
  add_version_findings(machine, plan, relevant, findings);
  add_environment(plan, findings);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.weight < b.weight; });
  return findings;
}

Document describe_findings(const std::vector<Finding>& findings,
                           const std::set<std::string>& relevant) {
  const std::string scope = join({relevant.begin(), relevant.end()}, ", ");
  Document document;
  document.title = findings.empty() ? "nothing to mend for " + scope
                                    : count_of(findings.size(), "finding") + " for " + scope;
  for (const Finding& finding : findings) {
    const WeightRow& row = row_of(finding.weight);
    Section section{std::string(row.name), {}, {}, {}};
    section.rows.push_back({{"cause"}, {finding.cause, row.tone}});
    section.rows.push_back({{"so"}, {finding.consequence}});
    if (!finding.remedy.empty()) section.rows.push_back({{"mend"}, {finding.remedy}});
    document.sections.push_back(std::move(section));
  }
  return document;
}

Json findings_to_json(const std::vector<Finding>& findings, const std::set<std::string>& relevant) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"weight", row_of(finding.weight).name},
                    {"cause", finding.cause},
                    {"consequence", finding.consequence},
                    {"remedy", finding.remedy}});
  }
  return {{"schema", 1}, {"accelerators", relevant}, {"findings", std::move(list)}};
}

}  // namespace dsbuild::report
