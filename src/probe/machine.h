// All facts about a host, each with its origin or the reason it is missing. A plain value: it can
// be written to a file and read again. Knows nothing of ops, requests or plans.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fact.h"
#include "base/json_fwd.h"
#include "base/version.h"
#include "probe/accelerators/accelerator_state.h"
#include "probe/devices/source_report.h"
#include "probe/devices/visible_devices.h"
#include "probe/folders.h"
#include "probe/frameworks/torch.h"
#include "probe/survey.h"

namespace dsbuild::probe {

struct Host {
  Fact<std::string> os;       ///< "Debian GNU/Linux 12 (bookworm)"
  Fact<std::string> kernel;   ///< "6.1.0-18-amd64"
  Fact<std::string> libc;     ///< "glibc 2.36"
  Fact<std::string> machine;  ///< "x86_64", as uname says
  Fact<std::string> triple;   ///< "x86_64-linux-gnu", Debian's multiarch name
  Fact<std::int64_t> memory;  ///< bytes that this process may use: RAM or its cgroup's limit
  Fact<std::int64_t> cpus;    ///< threads that may run at once: affinity and cgroup quota
};

struct Cpu {
  Fact<std::string> model;
  Fact<std::vector<std::string>> features;  ///< names of src/cpu, those that the OS lets us use
  Fact<std::string> level;                  ///< the highest of "x86-64-v2", … that the CPU has
};

/// A device found on the PCI bus, or by files that only its kind of board has.
struct Device {
  std::string accelerator;   ///< the descriptor whose rule took it
  std::string address;       ///< "0000:17:00.0"; "soc0", "dxg" for one that is on no bus
  std::string id;            ///< "10de:2330"
  std::string chip;          ///< "GH100"; empty when the table doesn't know it
  Fact<std::string> arch;    ///< canonical name
  Fact<std::string> name;    ///< as its driver calls it
  Fact<std::string> driver;  ///< the kernel driver that is bound to it: "amdgpu"
  Fact<std::string> driver_version;
  Fact<std::int64_t> memory;  ///< bytes of its own
  Fact<std::int64_t> numa_node;
  int parts = 0;        ///< that it is divided into: 8 for an MI300 in CPX mode, else 1
  std::string problem;  ///< why programs can't use it, as far as files tell it
  std::string fix;      ///< what to do about a problem that isn't its driver's
  std::vector<std::string> disagreements;  ///< what sources say differently
};

enum class ToolchainState { complete, partial, absent };
const char* state_name(ToolchainState state);  ///< "complete", …

/// The origin of what the flag names. It is stronger than a variable.
inline constexpr const char* kToolkitFlag = "--toolkit";

/// A compiler set: a compiler and what it needs to build for one accelerator.
struct Toolchain {
  std::string id;  ///< unique here: "gcc-12.2.0", "nvcc-13.0.88", with "#2" for a second equal one
  std::string kind;  ///< "gcc", "clang", "nvcc": which probe found it and which recipes take it
  std::string path;  ///< of the compiler, or of the folder that should hold it
  ToolchainState state = ToolchainState::absent;
  std::vector<std::string> missing;  ///< what a partial one lacks
  Fact<Version> version;
  std::vector<std::string> archs;  ///< canonical names in order; empty with `all_archs`
  bool all_archs = false;          ///< it takes every arch of its accelerator
  std::map<std::string, std::string>
      values;  ///< placeholder -> path or text ("cxx", "toolkit", "ptx")
  std::map<std::string, VersionRange>
      host_limits;     ///< host compiler kind -> versions it works with
  std::string origin;  ///< the rule that found it: "CUDA_HOME", "PATH", "/usr/local/cuda"
  bool demanded =
      false;  ///< the user named it (flag or variable): never fall back to another silently
  std::string identity;  ///< hash of its files' path, size, mtime and inode and of its version
};

/// A program that is no compiler.
struct Tool {
  std::string name;
  Fact<std::string> path;
  Fact<Version> version;
};

/// What a trial compile (a canary, a header or library that an op needs) gave, by the trial's key.
struct TrialResult {
  bool ok = false;
  std::string message;   ///< the first error lines
  std::string log = {};  ///< of one that failed: its command and all that it said; not recorded
  bool operator==(const TrialResult&) const = default;
};

struct Machine {
  Host host;
  Cpu cpu;
  AcceleratorStates accelerators;
  std::vector<Device> devices;                    ///< by address
  std::vector<Toolchain> toolchains;              ///< by kind; in a kind the chosen one first
  std::vector<Tool> tools;                        ///< "ninja", "git" and the commands that ops need
  std::map<std::string, Fact<Version>> packages;  ///< pkg-config packages that ops need
  std::map<std::string, TrialResult> trials;      ///< those that were made so far

  std::vector<Torch> torches;             ///< the chosen one first; only where they were looked for
  std::map<std::string, Folder> folders;  ///< of the source tree's rules, by name

  std::vector<SourceReport> sources;    ///< of devices; only where they were asked
  std::vector<VisibleDevices> visible;  ///< what variables leave; only for a report
  std::optional<Survey> survey;         ///< only where a report was asked for
  /// Sources that failed in a way that is nobody's answer: "devices: the probe failed: …".
  std::vector<std::string> problems;

  const Tool* find_tool(std::string_view name) const;
};

Json to_json(const Machine& machine);
/// The other way. Throws nlohmann's exceptions or std::invalid_argument for what is no machine.
Machine parse_machine(const Json& json);

}  // namespace dsbuild::probe
