#include "run/triage.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace dsbuild::run {
namespace {

/// Lines that say that something failed, but not what: the driver's word on its own child.
constexpr auto kEmpty = std::to_array<std::string_view>({
    "collect2: error: ld returned",
    ": error: linker command failed",
    "compilation terminated.",
});

/// Errors of linkers, which don't always say "error".
constexpr auto kLinker = std::to_array<std::string_view>({
    "undefined reference to",
    "multiple definition of",
    "cannot find -l",
    "final link failed",
    "file not recognized",
    "undefined symbol:",
});

// GCC 9 and later; clang; nvcc of a part of its own; allocators.
constexpr auto kOutOfMemory = std::to_array<std::string_view>({
    "Killed signal terminated program",
    "unable to execute command: Killed",
    "died due to signal 9",
    "virtual memory exhausted",
    "out of memory allocating",
    "LLVM ERROR: out of memory",
    "std::bad_alloc",
    "Cannot allocate memory",
});

constexpr auto kDiskFull = std::to_array<std::string_view>({
    "No space left on device",
    "Disk quota exceeded",
});

template <std::size_t n>
bool has_any(std::string_view text, const std::array<std::string_view, n>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

/// "error:", "fatal error:", "Error:", "error   :", "fatal   :": the word, spaces, a colon.
bool says_error(const std::string& line) {
  const std::string lower = to_lower(line);
  for (const std::string_view word : {"error", "fatal"}) {
    for (auto at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
      const auto colon = lower.find_first_not_of(' ', at + word.size());
      const bool whole = at == 0 || !is_letter(lower[at - 1]);
      if (whole && colon != std::string::npos && lower[colon] == ':') return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> first_errors(std::string_view output, std::size_t max) {
  std::vector<std::string> errors;
  std::string last;
  for (const std::string& line : split_lines(output)) {
    const std::string text(trim(line));
    if (text.empty() || has_any(text, kEmpty)) continue;
    last = text;
    if (errors.size() < max && (says_error(text) || has_any(text, kLinker))) errors.push_back(text);
  }
  if (errors.empty() && !last.empty()) errors.push_back(last);
  return errors;
}

bool is_out_of_memory(std::string_view cause, std::string_view output) {
  // 137 is how a shell script tells of a child that was killed by signal 9.
  return cause.starts_with("killed by signal 9 ") || cause == "exit status 137" ||
         has_any(output, kOutOfMemory);
}

bool is_disk_full(std::string_view text) {
  return has_any(text, kDiskFull);
}

}  // namespace dsbuild::run
