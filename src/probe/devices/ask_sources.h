// The table of sources and how they are asked: those that read files here, those that load a
// vendor's library in a child process each, so that a crash or a hang of one is a word in the
// report. Knows no library's calls.
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/system.h"
#include "probe/devices/device_source.h"
#include "probe/machine.h"

namespace dsbuild::probe {

struct SourceRow {
  std::string_view id;
  std::string_view accelerator;  ///< of its devices; "": of whatever other rows don't have
  std::string_view vendor;       ///< its PCI id and a colon; "": any
  /// The library's names, the best first. None: it reads files.
  std::array<std::string_view, 4> libraries;
  std::unique_ptr<DeviceSource> (*make)(const SourceScene& scene);

  bool reads_files() const { return libraries[0].empty(); }
};

/// Every source, in the order of the report.
std::span<const SourceRow> all_sources();

/// The folder where libraries are looked for first. It is one of the running machine, whatever the
/// root, and for another root the only one.
inline constexpr const char* kLibraryFolderVariable = "DSBUILD_PROBE_LIB_DIR";

/// How libraries are asked.
struct AskOptions {
  /// dsbuild: it is started as `dsbuild __probe ID LIBRARY` where the library's file exists, and
  /// not at all elsewhere.
  std::filesystem::path program;
  bool same_host = true;
  std::chrono::milliseconds limit{10'000};  ///< for each; they are asked side by side
  std::span<const SourceRow> rows = all_sources();
};

/// Asks all sources.
std::vector<SourceReport> ask_sources(const System& system, ProcessRunner& processes,
                                      const Machine& machine, const AskOptions& options);

/// Asks those that read files: no process, no library.
std::vector<SourceReport> read_file_sources(const System& system,
                                            const std::vector<Device>& devices);

/// The child's side: prints the report of the source `id` as one line of JSON. Returns the exit
/// status; 2 for an unknown source.
int run_source(std::string_view id, const char* library);

}  // namespace dsbuild::probe
