// Vendors' libraries as sources of facts about devices: where they are, how they are asked (in a
// child process each, so that a crash or a hang of one is a word in the report), and how what they
// say is joined with what the kernel says. Knows no library's calls.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/fact.h"
#include "base/json_fwd.h"
#include "base/process.h"
#include "base/system.h"
#include "probe/machine.h"

namespace dsbuild::probe {

/// What a library says of one device. What it doesn't give has the reason.
struct SourceDevice {
  std::string accelerator;
  std::string address;  ///< as sysfs writes it; empty when the device could not even be reached
  std::string problem;  ///< why it could not be asked; the others are not lost by that
  Fact<std::string> uuid;
  Fact<std::string> name;
  Fact<std::string> arch;
  Fact<std::int64_t> memory;       ///< bytes
  Fact<std::int64_t> partitions;   ///< MIG instances; 0 when it is not divided
  Fact<std::int64_t> power;        ///< mW
  Fact<std::int64_t> energy;       ///< mJ since the driver was loaded
  Fact<std::int64_t> utilization;  ///< % of the last sample period
};

/// What a library gave in all.
struct SourceReport {
  std::string id;      ///< "nvidia/nvml"
  std::string status;  ///< "ok" or what went wrong: library_missing, driver_not_loaded, crashed, …
  std::string message;
  std::string fix;
  std::string library;  ///< the file that was loaded
  Fact<std::string> driver_version;
  std::vector<SourceDevice> devices;
  std::vector<std::string> disagreements;  ///< with what the kernel's files say
};

/// A source: its id, the library's name, the vendor's PCI id, and what asks the library. `ask` is
/// called in a child process only.
struct SourceRow {
  std::string_view id;
  std::string_view library;
  std::string_view vendor;
  SourceReport (*ask)(const char* library);
};

/// NVIDIA's management library, below every CUDA driver.
SourceReport ask_nvml(const char* library);

/// The folder where libraries are looked for first.
inline constexpr const char* kLibraryFolderVariable = "DSBUILD_PROBE_LIB_DIR";

/// Asks all sources side by side, each at most `limit`. `program` is dsbuild: it is started as
/// `dsbuild __probe ID LIBRARY` where the library's file exists, and not at all elsewhere.
std::vector<SourceReport> ask_sources(
    const System& system, ProcessRunner& processes, const std::filesystem::path& program,
    bool same_host, const Machine& machine,
    std::chrono::milliseconds limit = std::chrono::milliseconds(10'000));

/// The child's side: prints the report of the source `id` as one line of JSON. Returns the exit
/// status; 2 for an unknown source.
int run_source(std::string_view id, const char* library);

/// Facts of the devices from the libraries: they measure, a table of ids only knows what was sold
/// when it was written. What the two say differently is kept in `disagreements`.
void join_sources(std::vector<SourceReport>& reports, std::vector<Device>& devices);

Json to_json(const std::vector<SourceReport>& reports);

}  // namespace dsbuild::probe
