// How a step's compiler is made to run stand-ins for its programs: by a folder of links that looks
// like its toolkit, with a copy of its configuration that leads to them. Knows what its descriptor
// says of it; no compiler by name.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "plan/step_file.h"
#include "run/cache_store.h"

namespace dsbuild::run {

struct PartCounts {
  int taken = 0;  ///< results from the cache
  int made = 0;
  int failed = 0;
};

/// Where the stand-ins of a step note what they did.
std::filesystem::path notes_path(const std::filesystem::path& folder, const plan::StepFile& step);
void write_note(const std::filesystem::path& notes, std::string_view what,
                std::string_view program);

/// The command of `step`, to be run in `folder`, with stand-ins for what its compiler runs. Nothing
/// when the compiler is not said to run anything, there is no cache, or the compiler is not as its
/// descriptor says. `step_file`: relative to `folder`.
std::optional<plan::StepFile> make_parts_command(const plan::StepFile& step,
                                                 const std::filesystem::path& step_file,
                                                 const std::filesystem::path& folder,
                                                 const CachePlace& place);

/// What was noted, which is then forgotten.
PartCounts take_notes(const std::filesystem::path& notes);

}  // namespace dsbuild::run
