// A part of a large file, found by the bytes that it begins with. Knows no format.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/system.h"

namespace dsbuild {

/// The bytes of a file of `system` from the first `mark` on, at most `bytes`; "" when it holds
/// none, an empty optional when it can't be read. The rest is not kept: memory for a library of 30
/// MB costs more than reading it.
std::optional<std::string> read_from(const System& system, const std::filesystem::path& path,
                                     std::string_view mark, std::size_t bytes);

}  // namespace dsbuild
