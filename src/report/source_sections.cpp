#include "report/source_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "probe/devices/device_source.h"

namespace dsbuild::report {
namespace {

constexpr const char* kRecord = "dsbuild report --devices --record FILE";

/// Bytes of a fact.
std::string size_of(std::int64_t bytes) {
  return format_size(static_cast<unsigned long long>(bytes));
}

/// What is known, and for each reason what isn't.
class Words {
 public:
  template <typename T, typename Format>
  void add(const char* name, const Fact<T>& fact, Format format) {
    if (fact) {
      known_.push_back(fmt::format("{} {}", name, format(*fact)));
    } else if (!fact.reason.empty()) {
      unknown_[fact.reason.ends_with(probe::kUntold) ? "no source tells it" : fact.reason]
          .push_back(name);
    }
  }
  std::string text() const {
    std::vector<std::string> parts;
    if (!known_.empty()) parts.push_back(join(known_, ", "));
    for (const auto& [reason, names] : unknown_)
      parts.push_back(fmt::format("{} unknown: {}", join(names, ", "), reason));
    return join(parts, "; ");
  }

 private:
  std::vector<std::string> known_;
  std::map<std::string, std::vector<std::string>> unknown_;
};

std::string describe(const probe::SourceDevice& device) {
  Words words;
  words.add("memory", device.memory, size_of);
  words.add("used", device.memory_used, size_of);
  words.add("power", device.power,
            [](std::int64_t mw) { return fmt::format("{:.1f} W", static_cast<double>(mw) / 1e3); });
  words.add("energy", device.energy,
            [](std::int64_t mj) { return fmt::format("{:.0f} J", static_cast<double>(mj) / 1e3); });
  words.add("use", device.utilization,
            [](std::int64_t percent) { return fmt::format("{} %", percent); });
  const auto count = [](const auto& list) { return std::to_string(list.size()); };
  words.add("parts", device.parts, count);
  words.add("processes", device.processes, count);
  return words.text();
}

void add_rows(const probe::SourceDevice& device, Section& section) {
  const std::string key =
      !device.address.empty() ? device.address : device.uuid.value.value_or(device.accelerator);
  section.rows.push_back({{key}, {device.name.value.value_or("-")}, {describe(device)}});
  for (const probe::DevicePart& part :
       device.parts.value.value_or(std::vector<probe::DevicePart>())) {
    Words words;
    words.add("memory", part.memory, size_of);
    if (part.uuid) words.add("is", part.uuid, [](const std::string& uuid) { return uuid; });
    section.rows.push_back({{"  " + part.id}, {part.name.value.value_or("-")}, {words.text()}});
  }
  for (const probe::ProcessUse& process :
       device.processes.value.value_or(std::vector<probe::ProcessUse>())) {
    Words words;
    words.add("memory", process.memory, size_of);
    words.add("use", process.utilization,
              [](std::int64_t percent) { return fmt::format("{} %", percent); });
    section.rows.push_back({{fmt::format("  pid {}", process.pid)}, {"-"}, {words.text()}});
  }
}

/// The first source that knows has the word; a reason is worth more than kUntold.
template <typename T>
void merge(Fact<T>& into, const Fact<T>& from) {
  if (!into && (from || into.reason.ends_with(probe::kUntold))) into = from;
}

/// What all sources say of each device that could be asked, in the order in which they name them.
std::vector<probe::SourceDevice> merge_devices(const std::vector<probe::SourceReport>& reports) {
  std::vector<probe::SourceDevice> list;
  for (const probe::SourceReport& report : reports) {
    if (report.status == "disagrees") continue;
    for (const probe::SourceDevice& device : report.devices) {
      if (!device.problem.empty()) continue;
      const auto known = std::find_if(list.begin(), list.end(), [&](const auto& candidate) {
        const bool one_address = !device.address.empty() && !candidate.address.empty();
        return one_address ? candidate.address == device.address
                           : candidate.uuid && candidate.uuid.value == device.uuid.value;
      });
      if (known == list.end()) {
        list.push_back(device);
        continue;
      }
      if (known->address.empty()) known->address = device.address;
      merge(known->uuid, device.uuid);
      merge(known->name, device.name);
      merge(known->memory, device.memory);
      merge(known->memory_used, device.memory_used);
      merge(known->parts, device.parts);
      merge(known->power, device.power);
      merge(known->energy, device.energy);
      merge(known->utilization, device.utilization);
      merge(known->processes, device.processes);
    }
  }
  return list;
}

Section device_section(const std::vector<probe::SourceReport>& reports, bool recorded) {
  Section section{
      recorded ? "devices, as recorded" : "devices now", {"address", "name", "what"}, {}, {}};
  for (const probe::SourceReport& report : reports) {
    for (const probe::SourceDevice& device : report.devices) {
      if (!device.problem.empty())
        section.rows.push_back({{"?"}, {"-"}, {device.problem, Tone::warning}});
    }
  }
  for (const probe::SourceDevice& device : merge_devices(reports)) add_rows(device, section);
  return section;
}

}  // namespace

std::vector<Section> source_sections(const std::vector<probe::SourceReport>& reports,
                                     bool recorded) {
  if (reports.empty())
    return {{"device sources", {}, {}, {"not recorded; on that machine: " + std::string(kRecord)}}};
  Section sources{recorded ? "device sources, as recorded" : "device sources",
                  {"source", "status", "what"},
                  {},
                  {}};
  std::vector<std::string> of_no_use;
  for (const probe::SourceReport& report : reports) {
    if (report.status == "not_applicable") {
      of_no_use.push_back(report.id);
      continue;
    }
    std::vector<std::string> words;
    if (!report.message.empty()) words.push_back(report.message);
    if (!report.fix.empty()) words.push_back(report.fix);
    if (report.driver_version) words.push_back("driver " + *report.driver_version);
    if (report.api_version) words.push_back("serves API " + *report.api_version);
    if (!report.library.empty()) words.push_back(report.library);
    const Tone tone = report.status == "ok" ? Tone::good : Tone::warning;
    sources.rows.push_back({{report.id}, {report.status, tone}, {join(words, "; ")}});
    for (const std::string& note : report.disagreements)
      sources.rows.push_back({{""}, {"disagrees", Tone::warning}, {note}});
  }
  if (!of_no_use.empty()) sources.notes.push_back("no such device here: " + join(of_no_use, ", "));
  std::vector<Section> sections;
  Section devices = device_section(reports, recorded);
  if (!devices.rows.empty()) sections.push_back(std::move(devices));
  sections.push_back(std::move(sources));
  return sections;
}

std::vector<Section> visible_sections(const std::vector<probe::VisibleDevices>& list) {
  if (list.empty()) return {};
  Section section{"devices that programs see", {"variable", "visible", "hidden"}, {}, {}};
  for (const probe::VisibleDevices& item : list) {
    const auto names = [](const std::vector<std::string>& addresses) {
      return addresses.empty() ? std::string("none") : join(addresses, ", ");
    };
    section.rows.push_back(
        {{item.variable + "=" + item.value},
         {names(item.visible)},
         {names(item.hidden), item.hidden.empty() ? Tone::plain : Tone::warning}});
    if (!item.note.empty()) section.notes.push_back(item.variable + ": " + item.note);
  }
  section.notes.push_back("a build looks at all devices, whatever these variables hide");
  return {section};
}

}  // namespace dsbuild::report
