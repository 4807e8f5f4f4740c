#include "probe/devices/device_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace dsbuild::probe {
namespace {

constexpr const char* kNotRunning = "its source is not running";

/// The value's rank; what the source left out without a word has a reason.
template <typename T>
void rank(Fact<T>& fact, const DeviceSource& source) {
  if (fact) {
    fact.confidence = source.confidence();
  } else if (fact.reason.empty()) {
    fact.reason = untold_by(source.id());
  }
}

void ask_device(DeviceSource& source, std::size_t place, SourceDevice& device) {
  device.parts = source.parts(place);
  device.memory_used = source.memory_used(place);
  device.power = source.power(place);
  device.energy = source.energy(place);
  device.utilization = source.utilization(place);
  device.processes = source.processes(place);
}

void rank_facts(SourceDevice& device, const DeviceSource& source) {
  for (auto* fact : {&device.uuid, &device.name, &device.arch}) rank(*fact, source);
  for (auto* fact :
       {&device.memory, &device.memory_used, &device.power, &device.energy, &device.utilization})
    rank(*fact, source);
  rank(device.parts, source);
  rank(device.processes, source);
  if (device.parts) {
    for (DevicePart& part : *device.parts.value) {
      rank(part.uuid, source);
      rank(part.name, source);
      rank(part.memory, source);
    }
  }
  if (device.processes) {
    for (ProcessUse& process : *device.processes.value) {
      rank(process.memory, source);
      rank(process.utilization, source);
    }
  }
}

}  // namespace

SourceStatus unusable(std::string status, std::string message, std::string fix) {
  return {std::move(status), std::move(message), std::move(fix), false};
}

DeviceAccelerator::DeviceAccelerator(std::unique_ptr<DeviceSource> source)
    : source_(std::move(source)), status_(unusable("skipped", "it was not started")) {
  if (!source_) throw std::invalid_argument("an accelerator needs a source");
}

const SourceStatus& DeviceAccelerator::start() {
  if (running_) return status_;
  try {
    status_ = source_->load();
  } catch (const std::exception& error) {
    status_ = unusable("crashed", error.what());
  }
  running_ = status_.usable;
  return status_;
}

void DeviceAccelerator::stop() {
  if (!running_) return;
  running_ = false;
  status_ = unusable("skipped", "it was stopped");
  source_->unload();
}

SourceReport DeviceAccelerator::report() {
  SourceReport report;
  report.id = implementation();
  report.status = status_.status;
  report.message = status_.message;
  report.fix = status_.fix;
  report.driver_version = report.api_version =
      Fact<std::string>::missing(status_.message.empty() ? kNotRunning : status_.message);
  if (!running_) return report;
  report.driver_version = source_->driver_version();
  report.api_version = source_->api_version();
  rank(report.driver_version, *source_);
  rank(report.api_version, *source_);
  report.devices = source_->devices();
  std::size_t bad = 0;
  for (std::size_t place = 0; place < report.devices.size(); ++place) {
    SourceDevice& device = report.devices[place];
    if (device.accelerator.empty()) device.accelerator = type();
    try {
      if (device.problem.empty()) ask_device(*source_, place, device);
    } catch (const std::exception& error) {
      device.problem = error.what();
    }
    rank_facts(device, *source_);
    if (!device.problem.empty()) ++bad;
  }
  if (report.status != "ok") return report;
  if (bad > 0) {
    report.status = "degraded";
    report.message = fmt::format("{} of {} devices can't be asked", bad, report.devices.size());
    report.fix = "look at what the driver's own tool says of them, and at dmesg";
  } else if (report.devices.empty()) {
    report.status = "no_devices";
    report.message = "it has no device";
    report.fix = "look at dmesg for what the driver says";
  }
  return report;
}

}  // namespace dsbuild::probe
