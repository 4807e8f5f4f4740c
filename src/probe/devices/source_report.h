// What one source says of devices, as a plain value: each fact with its reason where it has none.
// Knows no source and not how one is asked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fact.h"
#include "base/json_fwd.h"

namespace dsbuild::probe {

/// A part of a device that programs see as one of its own: a MIG instance, a node of a card in CPX
/// mode.
struct DevicePart {
  std::string id;  ///< unique in its device: "MIG 0", "node 3"
  Fact<std::string> uuid;
  Fact<std::string> name;
  Fact<std::int64_t> memory;  ///< bytes
};

/// A process that uses a device.
struct ProcessUse {
  std::int64_t pid = 0;
  Fact<std::int64_t> memory;       ///< bytes of the device's
  Fact<std::int64_t> utilization;  ///< % of the last sample period
};

/// What a source says of one device.
struct SourceDevice {
  std::string accelerator;
  std::string address;  ///< as sysfs writes it; empty when the source doesn't know it
  std::string problem;  ///< why it could not be asked; the others are not lost by that
  Fact<std::string> uuid;
  Fact<std::string> name;
  Fact<std::string> arch;
  Fact<std::int64_t> memory;            ///< bytes
  Fact<std::int64_t> memory_used;       ///< bytes
  Fact<std::vector<DevicePart>> parts;  ///< none when it is not divided
  Fact<std::int64_t> power;             ///< mW
  Fact<std::int64_t> energy;            ///< mJ since the driver was loaded
  Fact<std::int64_t> utilization;       ///< % of the last sample period
  Fact<std::vector<ProcessUse>> processes;
};

/// What a source gave in all.
struct SourceReport {
  std::string id;      ///< "nvidia/nvml"
  std::string status;  ///< "ok" or what went wrong: library_missing, driver_not_loaded, crashed, …
  std::string message;
  std::string fix;
  std::string library;  ///< the file that was loaded; empty for a source that reads files
  Fact<std::string> driver_version;
  Fact<std::string> api_version;  ///< the newest API that the driver serves: CUDA's "13.0"
  std::vector<SourceDevice> devices;
  std::vector<std::string> disagreements;  ///< with what the kernel's files say
};

Json to_json(const std::vector<SourceReport>& reports);
/// The other way; keys that are missing keep their defaults. Throws nlohmann's exceptions.
std::vector<SourceReport> parse_source_reports(const Json& json);

/// Leaves out what tells whose machine it is: UUIDs, and the numbers of processes.
void hide_identity(std::vector<SourceReport>& reports);

}  // namespace dsbuild::probe
