// The bundle: the folder that is shipped. Lays it out, publishes it by rename, verifies one.
// Knows files and their facts; nothing of compilers, of Ninja or of terminals.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/error.h"
#include "base/json_fwd.h"
#include "plan/plan.h"

namespace dsbuild::bundle {

/// The index's name in a bundle. A folder without it is no bundle.
inline constexpr std::string_view kIndexName = "bundle.json";

/// One file of a bundle.
struct BundleFile {
  std::string path;  ///< in the bundle
  std::string sha256;
  std::uint64_t size = 0;
  // What it is; empty for headers, Python and reports.
  std::string op;
  std::string accelerator;
  std::string arch;
  std::string form;
  std::string variant;
  std::vector<std::string> archs;    ///< device code inside a shared library: "sm_90", "sm_90+ptx"
  std::vector<std::string> kernels;  ///< entry points: all of a device image, exports of host code
  std::map<std::string, std::string> needs;  ///< {"cpu": "x86-64-v3", "driver": ">=13.0", "glibc":
                                             ///< ">=2.14", "libraries": "libaio.so.1"}

  bool operator==(const BundleFile&) const = default;
};

/// Something that was asked about and is not in the bundle.
struct BundleGap {
  std::string op;
  std::string accelerator;
  std::string arch;
  std::string code;  ///< reason id
  std::string text;
  std::string hint;

  bool operator==(const BundleGap&) const = default;
};

/// bundle.json.
struct BundleIndex {
  std::string dsbuild_version;
  std::string commit;  ///< of the catalog's built-in root; empty when it is no git checkout
  bool dirty = false;
  std::string triple;
  bool host_bound = false;
  std::vector<std::string> host_features;
  std::vector<BundleFile> files;  ///< by path
  std::vector<BundleGap> gaps;    ///< by op, accelerator, arch

  bool operator==(const BundleIndex&) const = default;
};

Json to_json(const BundleIndex& index);
/// Problems go to `diagnostics` under the name `file`. Unknown keys are left to later versions.
std::optional<BundleIndex> parse_index(std::string_view text, const std::string& file,
                                       Diagnostics& diagnostics);

/// What goes into a bundle.
struct BundleContent {
  std::filesystem::path build_folder;  ///< the plan's artifacts lie here under their bundle paths
  std::map<std::string, std::filesystem::path>
      copies;                                ///< other files: path in the bundle -> source
  std::map<std::string, std::string> texts;  ///< and texts: path in the bundle -> content
  std::string dsbuild_version;
  std::string commit;
  bool dirty = false;
};

/// Why no bundle can be put at `out`; nothing when one can: what is there is a bundle, empty or
/// nothing. For asking before a long build.
std::optional<Error> check_place(const std::filesystem::path& out);

/// What stands at a bundle's place once it is published.
struct Publication {
  BundleIndex index;
  bool changed = false;  ///< false: it stood there already, exactly like this
};

/// Publishes the plan's artifacts at `out`: staged beside it, checked as check_bundle does, then
/// put in its place by rename. An interrupted or failed publication leaves the old bundle. Throws
/// Error(file_system), Error(bad_artifact) with every mismatch, Error(interrupted), and what
/// check_place says.
Publication write_bundle(const plan::Plan& plan, const BundleContent& content,
                         const std::filesystem::path& out);

/// bundle.json of a folder; throws Error(bad_artifact) when there is none or it can't be
/// understood.
BundleIndex read_bundle(const std::filesystem::path& folder);

/// Every mismatch between what the index says and what the files are: hashes, missing and unlisted
/// files, links, symbols, kernels, the arch inside each image, RUNPATH, glibc. Throws
/// Error(interrupted).
std::vector<Diagnostic> check_bundle(const std::filesystem::path& folder, const BundleIndex& index);

}  // namespace dsbuild::bundle
