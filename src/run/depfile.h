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

/// The names in the depfile at `path`, as seen from `folder`, each once; none goes through ".." of
/// a link. Empty optional when it is no depfile.
std::optional<std::vector<std::string>> read_depfile(const std::filesystem::path& path,
                                                     const std::filesystem::path& folder);

/// Writes a depfile for a Ninja that runs in `folder`. A name that Ninja can't read is replaced by
/// its path from `folder`, or by a link below `folder`/links.
void write_depfile(const std::filesystem::path& path, const std::filesystem::path& folder,
                   const std::vector<std::string>& names);

}  // namespace dsbuild::run
