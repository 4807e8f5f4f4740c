#include "cli/match_text.h"

#include <fmt/format.h>

#include "base/json.h"

namespace dsbuild::cli {

report::Document describe_matches(const std::string& bundle,
                                  const std::vector<MachineMatches>& all) {
  report::Document document;
  for (const MachineMatches& one : all) {
    report::Section section{one.machine, {"op", "accelerator", "device", "would load"}, {}, {}};
    std::string last_op;
    for (const bundle::Match& match : one.matches) {
      report::Cell image{match.image, report::Tone::good};
      if (!match.needs.empty()) image.text += " (needs " + match.needs + ")";
      if (match.image.empty()) image = {"nothing: " + match.reason, report::Tone::bad};
      section.rows.push_back({{match.op == last_op ? "" : match.op},
                              {match.accelerator},
                              {match.device.empty() ? "unknown" : match.device},
                              std::move(image)});
      last_op = match.op;
    }
    if (one.matches.empty()) section.notes.push_back("no op of " + bundle + " is for it");
    document.sections.push_back(std::move(section));
  }
  return document;
}

Json match_rows(const std::vector<bundle::Match>& matches) {
  Json rows = Json::array();
  for (const bundle::Match& match : matches) {
    rows.push_back({{"op", match.op},
                    {"accelerator", match.accelerator},
                    {"device", match.device},
                    {"image", match.image},
                    {"reason", match.reason},
                    {"needs", match.needs}});
  }
  return rows;
}

Json matches_to_json(const std::string& bundle, const std::vector<MachineMatches>& all) {
  Json machines = Json::array();
  for (const MachineMatches& one : all)
    machines.push_back({{"machine", one.machine}, {"ops", match_rows(one.matches)}});
  return {{"schema", 1}, {"bundle", bundle}, {"machines", std::move(machines)}};
}

std::vector<std::string> describe_old_drivers(const std::vector<bundle::Match>& matches) {
  std::vector<std::string> lines;
  for (const bundle::Match& match : matches) {
    if (!match.driver_too_old) continue;
    lines.push_back(fmt::format("{} won't load on the {} of this machine: {}", match.op,
                                match.device.empty() ? match.accelerator : match.device,
                                match.reason));
  }
  return lines;
}

}  // namespace dsbuild::cli
