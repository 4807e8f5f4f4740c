// Knows the few questions that the runtime asks of the system: files, variables, the machine.
// Does not know what the answers are used for.
#pragma once

#include <string>
#include <vector>

namespace dsops::runtime {

/// This host's machine, as the first word of its triple and as emu images are named.
#if defined(__x86_64__)
inline constexpr const char* kMachine = "x86_64";
#elif defined(__aarch64__)
inline constexpr const char* kMachine = "aarch64";
#else
#error "libdsops is not made for this machine: src/runtime/system.h names those that it is made for"
#endif

/// Value of an environment variable; nullptr if it is not set or empty.
const char* find_variable(const char* name);

/// Whether a file can be read.
bool file_exists(const std::string& path);

bool is_folder(const std::string& path);

/// The path, absolute and with links resolved; "" if it leads nowhere.
std::string real_path(const std::string& path);

/// Names of the entries of a folder, sorted, without those that begin with a dot; none if it can't
/// be read.
std::vector<std::string> list_folder(const std::string& path);

/// The names separated by ", "; "none" if there are none.
std::string join(const std::vector<std::string>& names);

}  // namespace dsops::runtime
