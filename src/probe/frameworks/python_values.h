// Values that a Python file assigns at its top level, read without Python. Knows literals (text,
// numbers, None, True, False, dicts, lists), no expressions.
#pragma once

#include <optional>
#include <string_view>

#include "base/json_fwd.h"

namespace dsbuild::probe {

/// What the last line `NAME = LITERAL` or `NAME: TYPE = LITERAL` gives; None is null. Empty when
/// there is no such line or what follows is no whole literal.
std::optional<Json> parse_python_value(std::string_view text, std::string_view name);

/// What the first line `'KEY': LITERAL` of a dict gives, whatever expressions stand around it.
std::optional<Json> parse_python_entry(std::string_view text, std::string_view key);

}  // namespace dsbuild::probe
