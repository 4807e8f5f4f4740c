// What a report tells of a host besides what a plan needs: frameworks, libraries, limits. A plain
// value; knows nothing of how it is found. A bundle must not change with it, so builds leave it
// out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/fact.h"
#include "base/json_fwd.h"
#include "base/version.h"

namespace dsbuild::probe {

/// An op that DeepSpeed's installation lists.
struct PrebuiltOp {
  std::string name;
  bool claimed = false;    ///< installed_ops says that it was built
  Fact<std::string> file;  ///< the library that DeepSpeed would import
};

/// A Python package that is a framework, as its files tell it.
struct Framework {
  std::string name;
  std::string prefix;                                ///< of the Python environment
  std::string found_by;                              ///< "VIRTUAL_ENV", "CONDA_PREFIX", "PATH"
  Fact<Version> python;                              ///< 3.11
  Fact<std::string> path;                            ///< the package's folder
  Fact<std::string> version;                         ///< "2.15.0+cu132"
  std::map<std::string, Fact<std::string>> details;  ///< "cuda", "cxx11_abi"
  std::vector<PrebuiltOp> ops;                       ///< by name

  /// Missing when the framework has no such detail.
  Fact<std::string> detail(const std::string& key) const;
};

/// A library that ops may need.
struct Library {
  std::string name;
  Fact<std::string> header;
  Fact<std::string> library;  ///< missing for one that is headers alone, too
  Fact<Version> version;
  bool header_only = false;
  std::string package;       ///< what brings it, on Debian or by its vendor
  Fact<std::string> usable;  ///< the toolchain that compiled and linked with it, where it was tried

  bool complete() const { return header && (header_only || library); }
};

/// A folder that builds write into.
struct FolderLimits {
  std::string use;          ///< "temp", "cache", "shared memory"
  std::string path;         ///< as named; the facts are those of its nearest parent that exists
  Fact<std::int64_t> size;  ///< bytes in all
  Fact<std::int64_t> free;  ///< bytes that this user may still write
  Fact<std::string> file_system;
  bool network = false;  ///< other hosts may write there, and locks and times may be off
  bool noexec = false;   ///< nothing that was built there can be started
};

struct Limits {
  std::vector<FolderLimits> folders;
  /// Soft limits as `ulimit` counts them ("open files": 1024) in files or bytes, or "unlimited".
  std::map<std::string, Fact<std::string>> ulimits;
};

/// Below it PyTorch's data loaders and NCCL run out of shared memory; Docker's default is 64 MiB.
/// https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html#shared-memory
inline constexpr std::int64_t kSmallSharedMemory = 512LL << 20;
inline constexpr std::string_view kSharedMemory = "shared memory";

struct Survey {
  std::vector<Framework> frameworks;  ///< by environment, then in the table's order
  std::vector<Library> libraries;     ///< in the table's order
  Limits limits;
};

/// {"frameworks", "libraries", "limits"}
Json to_json(const Survey& survey);
Survey parse_survey(const Json& json);
/// A key that tells that there is one.
inline constexpr const char* kSurveyMark = "frameworks";

}  // namespace dsbuild::probe
