// Reads JSON with every mistake at its place: syntax errors at line and column, duplicate keys
// (which the library drops silently) at their pointer. Knows no schema.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/json_fwd.h"

namespace dsbuild {

/// Parses `text`, reporting to `diagnostics` under the name `file`. A document with duplicate keys
/// is reported and not returned.
std::optional<Json> parse_json(std::string_view text, const std::string& file,
                               Diagnostics& diagnostics);

/// Two-space indent and a final newline: the form of every JSON file that dsbuild writes. Bytes
/// that are no UTF-8 (a path may hold any) become U+FFFD.
std::string dump_json(const Json& value);

/// `/` and `~` escaped as RFC 6901 says.
std::string json_pointer_token(std::string_view key);

}  // namespace dsbuild
