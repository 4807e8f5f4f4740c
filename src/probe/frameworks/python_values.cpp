#include "probe/frameworks/python_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "base/json.h"
#include "base/text.h"

namespace dsbuild::probe {
namespace {

constexpr int kMaxDepth = 16;

/// A reader of one literal at the start of `text`; what it reads it takes off.
struct LiteralReader {
  std::string_view text;

  void skip_space() {
    const auto at = text.find_first_not_of(" \t\r\n");
    text.remove_prefix(at == std::string_view::npos ? text.size() : at);
  }

  bool take(std::string_view word) {
    skip_space();
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
  }

  std::optional<Json> read_text() {
    const char quote = text.front();
    std::string value;
    for (std::size_t i = 1; i < text.size() && text[i] != '\n'; ++i) {
      if (text[i] == quote) {
        text.remove_prefix(i + 1);
        return value;
      }
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      value += text[i];
    }
    return std::nullopt;
  }

  std::optional<Json> read_number() {
    double value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
    return value;
  }

  std::optional<Json> read_dict(int depth) {
    Json dict = Json::object();
    while (!take("}")) {
      const auto key = read(depth);
      if (!key || !key->is_string() || !take(":")) return std::nullopt;
      auto value = read(depth);
      if (!value) return std::nullopt;
      dict[key->get<std::string>()] = *std::move(value);
      if (!take(",") && !text.starts_with('}')) return std::nullopt;
    }
    return dict;
  }

  std::optional<Json> read_list(std::string_view end, int depth) {
    Json list = Json::array();
    while (!take(end)) {
      auto value = read(depth);
      if (!value) return std::nullopt;
      list.push_back(*std::move(value));
      if (!take(",") && !text.starts_with(end)) return std::nullopt;
    }
    return list;
  }

  std::optional<Json> read(int depth) {
    skip_space();
    if (text.empty() || depth == kMaxDepth) return std::nullopt;
    if (text.front() == '\'' || text.front() == '"') return read_text();
    if (take("None")) return Json();
    if (take("True")) return Json(true);
    if (take("False")) return Json(false);
    if (take("{")) return read_dict(depth + 1);
    if (take("[")) return read_list("]", depth + 1);
    if (take("(")) return read_list(")", depth + 1);
    return read_number();
  }
};

/// Where the literal of a line `NAME[: TYPE] = LITERAL` begins; npos for any other line.
std::size_t find_literal(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return std::string_view::npos;
  auto at = line.find_first_not_of(" \t", name.size());
  if (at != std::string_view::npos && line[at] == ':') at = line.find('=', at);
  const bool assigns = at != std::string_view::npos && line[at] == '=' &&
                       (at + 1 == line.size() || line[at + 1] != '=');
  return assigns ? at + 1 : std::string_view::npos;
}

}  // namespace

std::optional<Json> parse_python_value(std::string_view text, std::string_view name) {
  std::optional<Json> value;
  for (std::size_t start = 0; start < text.size();) {
    const auto end = std::min(text.find('\n', start), text.size());
    const auto at = find_literal(text.substr(start, end - start), name);
    if (at != std::string_view::npos) value = LiteralReader{text.substr(start + at)}.read(0);
    start = end + 1;
  }
  // Bytes that are no UTF-8 are junk, not a value.
  if (value && value->is_string() &&
      value->dump(-1, ' ', false, Json::error_handler_t::ignore) !=
          value->dump(-1, ' ', false, Json::error_handler_t::replace))
    return std::nullopt;
  return value;
}

std::optional<Json> parse_python_entry(std::string_view text, std::string_view key) {
  const std::string name = fmt::format("'{}':", key);
  const auto at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  return LiteralReader{text.substr(at + name.size())}.read(0);
}

}  // namespace dsbuild::probe
