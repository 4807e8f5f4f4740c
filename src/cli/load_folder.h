// Where `dsbuild load` keeps what it builds: which folders may serve, and what a failed build left
// in one for the processes that waited for it. Knows files; nothing of ops or of compilers.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system.h"

namespace dsbuild::cli {

/// The folder that --cache (`flag`), DSBUILD_CACHE, TORCH_EXTENSIONS_DIR or the default of PyTorch
/// names. Empty: there is none.
std::filesystem::path find_load_folder(const System& system, const std::string& flag);

/// Why modules can't be built and loaded there: it can't be written (owner and mode are told), or
/// is mounted noexec. Makes the folder.
std::optional<Error> check_load_folder(const std::filesystem::path& folder);

/// A build that failed, for those who waited for it: they would only fail again.
struct LoadFailure {
  ExitCode code = ExitCode::step_failed;
  std::vector<std::string> lines;  ///< what was said of it
};

/// What tells one failure from the next: empty where there is none.
std::string failure_stamp(const std::filesystem::path& folder);
std::optional<LoadFailure> read_load_failure(const std::filesystem::path& folder);
void write_load_failure(const std::filesystem::path& folder, const LoadFailure& failure);
/// `words`: what it was built for.
void write_load_success(const std::filesystem::path& folder,
                        const std::map<std::string, std::string>& words);

/// A finished build, and what it was built for (empty: that was not kept).
struct LoadedOp {
  std::filesystem::path folder;
  std::map<std::string, std::string> words;
};
/// Those of an op beside `folder`, by name.
std::vector<LoadedOp> find_others(const std::filesystem::path& folder, const std::string& op);

}  // namespace dsbuild::cli
