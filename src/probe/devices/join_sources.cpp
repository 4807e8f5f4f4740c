#include "probe/devices/join_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace dsbuild::probe {
namespace {

/// UUID -> address, by every source that knows both.
std::map<std::string, std::string> find_addresses(const std::vector<SourceReport>& reports) {
  std::map<std::string, std::string> addresses;
  for (const SourceReport& report : reports) {
    for (const SourceDevice& device : report.devices) {
      if (device.uuid && !device.address.empty()) addresses.emplace(*device.uuid, device.address);
    }
  }
  return addresses;
}

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

std::string shown(const std::string& value) {
  return value;
}
std::string shown(std::int64_t bytes) {
  return format_size(static_cast<unsigned long long>(bytes));
}

/// Drivers keep some of the memory for themselves, so each source counts otherwise.
bool same(const std::string& a, const std::string& b) {
  return a == b;
}
bool same(std::int64_t a, std::int64_t b) {
  constexpr double kShare = 0.1;
  return static_cast<double>(std::max(a, b) - std::min(a, b)) <=
         kShare * static_cast<double>(std::max(a, b));
}

template <typename T>
void take(Device& device, const char* what, Fact<T>& into, const Fact<T>& from) {
  if (!from) return;
  if (into && !same(*into, *from)) {
    add_once(device.disagreements, fmt::format("{} {} by {}, {} by {}", what, shown(*into),
                                               into.source, shown(*from), from.source));
  }
  if (!into || from.confidence > into.confidence) into = from;
}

bool on_bus(const Device& device) {
  return device.address.find(':') != std::string::npos;
}

}  // namespace

void join_sources(std::vector<SourceReport>& reports, std::vector<Device>& devices) {
  const auto addresses = find_addresses(reports);
  for (SourceReport& report : reports) {
    if (report.status == "disagrees") continue;
    std::set<const Device*> taken;
    for (const SourceDevice& source : report.devices) {
      if (!source.problem.empty()) continue;
      std::string address = source.address;
      if (const auto known = addresses.find(source.uuid.value.value_or(""));
          address.empty() && known != addresses.end())
        address = known->second;
      auto device = std::find_if(devices.begin(), devices.end(), [&](const Device& known) {
        return known.address == address && known.accelerator == source.accelerator;
      });
      // A GPU on no bus has whatever address a library likes.
      if (device == devices.end()) {
        device = std::find_if(devices.begin(), devices.end(), [&](const Device& known) {
          return !on_bus(known) && known.accelerator == source.accelerator &&
                 taken.count(&known) == 0;
        });
      }
      if (device == devices.end()) {
        if (!address.empty())
          add_once(report.disagreements, address + ": no such device on the PCI bus");
        continue;
      }
      taken.insert(&*device);
      take(*device, "arch", device->arch, source.arch);
      if (source.name && source.name.confidence > device->name.confidence)
        device->name = source.name;
      // A library that has a divided device's parts for devices tells the memory of one part.
      if (device->parts <= 1) take(*device, "memory", device->memory, source.memory);
      if (source.parts && source.parts->size() > 1)
        device->parts = static_cast<int>(source.parts->size());
    }
  }
}

}  // namespace dsbuild::probe
