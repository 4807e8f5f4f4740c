// DeepSpeed's record of prebuilt ops, git_version_info_installed.py: what it says, and the same
// with ours in it. Knows its names; nothing of files or of how ops are built.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"

namespace dsbuild::bundle {

/// Its name in DeepSpeed's folder.
inline constexpr std::string_view kRecordName = "git_version_info_installed.py";

/// What decides whether DeepSpeed takes a prebuilt op.
struct OpsRecord {
  std::vector<std::string> installed;  ///< ops that it claims, sorted
  std::string accelerator;             ///< that they were built for; empty: none
  std::string torch;                   ///< "2.15"
  std::string cuda;                    ///< "13.2"; "0.0": none
};

OpsRecord parse_ops_record(std::string_view text);

/// `text` (empty: there was none) with `ops` claimed for `accelerator` and `dropped` no longer, all
/// but the assignment of torch_info. What it held stays as it is; what is new stands after it, and
/// the last assignment counts. `version` is that of the package, for a text that gives none.
std::string render_ops_record(std::string_view text, const std::vector<std::string>& ops,
                              const std::vector<std::string>& dropped,
                              const std::string& accelerator,
                              const std::optional<Version>& version);

}  // namespace dsbuild::bundle
