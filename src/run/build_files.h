// What a build folder holds before Ninja runs. Knows the folder, not what the files say.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace dsbuild::run {

/// Writes those that changed, removes step files of steps that are no more, and makes `step` a link
/// to `launcher`. Whether any was written. Throws Error(file_system).
bool write_build_files(const std::filesystem::path& folder,
                       const std::map<std::string, std::string>& files,
                       const std::filesystem::path& launcher);

}  // namespace dsbuild::run
