#include "report/source_sections.h"

#include <fmt/format.h>

#include "base/text.h"

namespace dsbuild::report {
namespace {

constexpr const char* kRecord = "dsbuild report --devices --record FILE";

/// The value as `format` shows it, or why there is none.
template <typename T, typename Format>
void add_fact(std::vector<std::string>& words, const char* name, const Fact<T>& fact,
              Format format) {
  words.push_back(fmt::format("{} {}", name, fact ? format(*fact) : "unknown: " + fact.reason));
}

std::string describe(const probe::SourceDevice& device) {
  std::vector<std::string> words;
  add_fact(words, "memory", device.memory,
           [](std::int64_t bytes) { return format_size(static_cast<unsigned long long>(bytes)); });
  add_fact(words, "parts", device.parts,
           [](const auto& parts) { return std::to_string(parts.size()); });
  add_fact(words, "power", device.power,
           [](std::int64_t mw) { return fmt::format("{:.1f} W", static_cast<double>(mw) / 1e3); });
  add_fact(words, "energy", device.energy,
           [](std::int64_t mj) { return fmt::format("{:.0f} J", static_cast<double>(mj) / 1e3); });
  add_fact(words, "use", device.utilization,
           [](std::int64_t percent) { return fmt::format("{} %", percent); });
  return join(words, ", ");
}

}  // namespace

std::vector<Section> source_sections(const std::vector<probe::SourceReport>& reports,
                                     bool recorded) {
  if (reports.empty())
    return {{"device sources", {}, {}, {"not recorded; on that machine: " + std::string(kRecord)}}};
  Section devices{
      recorded ? "devices, as recorded" : "devices now", {"address", "name", "what"}, {}, {}};
  Section sources{recorded ? "device sources, as recorded" : "device sources",
                  {"source", "status", "what"},
                  {},
                  {}};
  for (const probe::SourceReport& report : reports) {
    for (const probe::SourceDevice& device : report.devices) {
      if (!device.problem.empty()) {
        devices.rows.push_back({{"?"}, {"-"}, {device.problem, Tone::warning}});
        continue;
      }
      devices.rows.push_back(
          {{device.address}, {device.name ? *device.name : "-"}, {describe(device)}});
    }
    const bool good = report.status == "ok" || report.status == "not_applicable";
    std::vector<std::string> words;
    if (!report.message.empty()) words.push_back(report.message);
    if (!report.fix.empty()) words.push_back(report.fix);
    if (report.driver_version) words.push_back("driver " + *report.driver_version);
    if (!report.library.empty()) words.push_back(report.library);
    sources.rows.push_back(
        {{report.id}, {report.status, good ? Tone::good : Tone::warning}, {join(words, "; ")}});
    for (const std::string& note : report.disagreements)
      sources.rows.push_back({{""}, {"disagrees", Tone::warning}, {note}});
  }
  std::vector<Section> sections;
  if (!devices.rows.empty()) sections.push_back(std::move(devices));
  sections.push_back(std::move(sources));
  return sections;
}

}  // namespace dsbuild::report
