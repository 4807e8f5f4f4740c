// Small text helpers that the standard library lacks. Knows no domain.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsbuild {

/// Pieces between any of the `separators`, trimmed; empty pieces are dropped.
std::vector<std::string> split(std::string_view text, std::string_view separators);
std::vector<std::string> split_lines(std::string_view text);
std::string_view trim(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// Lower case for ASCII letters; others stay.
std::string to_lower(std::string_view text);
/// Each `from`, left to right; what was put in is not looked at again.
std::string replace_all(std::string text, std::string_view from, std::string_view to);

/// The candidate that a typo most likely meant, case aside (edit distance at most a third of the
/// word, or one letter), or empty.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean 'X'?" for `nearest`, or "known: A, B" when none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// Whether a path is the folder or below it, by their names alone.
bool lies_in(std::string_view path, std::string_view folder);

/// Byte order except that runs of digits compare as numbers: gcc-9 before gcc-12.
bool natural_less(std::string_view a, std::string_view b);

/// One word as a POSIX shell would need it; for showing commands, nothing is ever run through a
/// shell.
std::string shell_quote(std::string_view word);
std::string shell_join(const std::vector<std::string>& words);

/// "712 B", "34.1 kB", "1.7 MB": powers of 1000, three digits.
std::string format_size(unsigned long long bytes);
/// "0.8 s", "12 s", "3:07".
std::string format_duration(double seconds);

/// "1 image", "3 images".
std::string count_of(std::size_t n, std::string_view noun);

}  // namespace dsbuild
