// Vendors' libraries as sources of facts about devices: where they are, how they are asked (in a
// child process each, so that a crash or a hang of one is a word in the report), and how what they
// say is joined with what the kernel says. Knows no library's calls.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/system.h"
#include "probe/devices/source_report.h"
#include "probe/machine.h"

namespace dsbuild::probe {

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

/// The folder where libraries are looked for first. It is one of the running machine, whatever the
/// root, and for another root the only one.
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

}  // namespace dsbuild::probe
