// Plan -> Ninja text and step files. Pure; the caller writes what is returned.
// Knows Ninja's syntax, nothing of compilers.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "plan/plan.h"

namespace dsbuild::ninja {

/// Everything that the build folder must hold before Ninja runs: relative path -> content.
using BuildFiles = std::map<std::string, std::string>;

/// `build.ninja` and one `.argv` file per step. The command of each edge is `./step FILE #HASH`.
/// Paths `{build}` become relative to the build folder, the plan's other roots absolute.
/// Throws Error(bad_input) for a path that Ninja can't express (a newline).
BuildFiles render_build_files(const plan::Plan& plan, const std::filesystem::path& build_folder);

/// The plan's compile steps as a compilation database
/// (https://clang.llvm.org/docs/JSONCompilationDatabase.html).
std::string render_compile_commands(const plan::Plan& plan,
                                    const std::filesystem::path& build_folder);

/// Replaces `{src}`, `{root1}`…, `{build}` in one argument, once: what is put in is not looked
/// into. An empty path is the current folder: "{build}/a" becomes "a", "{build}" becomes ".".
std::string expand_paths(const std::string& text, const std::map<std::string, std::string>& paths);

}  // namespace dsbuild::ninja
