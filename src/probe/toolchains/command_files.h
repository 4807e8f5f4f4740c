// Which files a command really is: the end of its links, and what a wrapper script starts.
// Knows scripts of one `exec` line, not what any command does.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/system.h"

namespace dsbuild::probe {

struct CommandFiles {
  /// What runs in the end. A wrapper is followed only to a program of its own name (nvcc to another
  /// nvcc), so that two scripts that both start an interpreter are not taken for one tool.
  std::filesystem::path real;
  /// Each file on the way there: the command changes only if one of them does.
  std::vector<std::filesystem::path> files;
};

/// Of a path that doesn't exist: the path itself, and no files.
CommandFiles find_command_files(const System& system, const std::filesystem::path& command);

/// The program that a script's text hands over to: the first word of an `exec` line, if that is an
/// absolute path. Empty for anything else. /usr/local/bin/nvcc is often
/// `#!/bin/sh` and `exec /usr/local/cuda-13.0/bin/nvcc "$@"`, and doesn't change with the toolkit.
std::filesystem::path parse_exec_target(std::string_view script);

/// Whether a file name is a tool's: the name itself, with a triple before or a version after it
/// ("x86_64-linux-gnu-g++-12" is "g++"; "clang++" is not).
bool names_tool(std::string_view file_name, std::string_view tool);

/// Path, size, time and inode as text: equal texts mean an untouched file.
std::string render_file_state(const System& system, const std::filesystem::path& file);

/// SHA-256 over the states of some files and whatever else tells a thing from its successor.
std::string make_identity(const System& system, const std::vector<std::filesystem::path>& files,
                          std::string_view also);

}  // namespace dsbuild::probe
