// Depfiles: read as compilers write them, written as Ninja reads them. The two differ where a path
// is odd, and then Ninja would build a step again and again, or miss a changed header.
// Knows make syntax; nothing of compilers' flags.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsbuild::run {

/// The prerequisites of all rules, in order; empty optional when the text is no make rule.
std::optional<std::vector<std::string>> parse_depfile(std::string_view text);

/// Whether Ninja's own depfile reader takes the name as one word.
bool ninja_can_read(std::string_view name);

/// Rewrites the depfile at `path` for a Ninja that runs in `folder`. A name that Ninja can't read
/// is replaced by its path from `folder`, or by a link below `folder`/links. Returns what is wrong
/// with the file; empty when nothing is.
std::string rewrite_depfile(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace dsbuild::run
