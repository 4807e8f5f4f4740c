// Reads what compilers and linkers say: the line that tells what is wrong, and causes that are none
// of the source's. Knows their wording, nothing of steps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsbuild::run {

/// The first error lines of g++, clang, nvcc, ptxas, ld and their like, at most `max`; where none
/// says "error", the last line; empty for no output.
std::vector<std::string> first_errors(std::string_view output, std::size_t max);

/// Whether the process or one of its own was killed for want of memory, as far as one can tell.
bool is_out_of_memory(std::string_view cause, std::string_view output);

/// Whether a disk or a quota was full.
bool is_disk_full(std::string_view text);

}  // namespace dsbuild::run
