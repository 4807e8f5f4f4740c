#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace dsbuild {
namespace {

/// Watches the parser's events for keys that an object has twice.
class DuplicateKeys {
 public:
  bool operator()(int, Json::parse_event_t event, Json& value) {
    switch (event) {
      case Json::parse_event_t::object_start:
        enter(false);
        break;
      case Json::parse_event_t::array_start:
        enter(true);
        break;
      case Json::parse_event_t::key:
        scopes_.back().key = value.get<std::string>();
        if (!scopes_.back().keys.insert(scopes_.back().key).second) found_.push_back(pointer());
        break;
      case Json::parse_event_t::object_end:
      case Json::parse_event_t::array_end:
        scopes_.pop_back();
        next_item();
        break;
      case Json::parse_event_t::value:
        next_item();
        break;
    }
    return true;
  }
  const std::vector<std::string>& found() const { return found_; }

 private:
  struct Scope {
    bool array = false;
    std::size_t index = 0;
    std::string key;
    std::set<std::string> keys;
  };

  void enter(bool array) { scopes_.push_back({array, 0, {}, {}}); }
  void next_item() {
    if (!scopes_.empty() && scopes_.back().array) ++scopes_.back().index;
  }
  std::string pointer() const {
    std::string path;
    for (const Scope& scope : scopes_) {
      path += '/';
      path += scope.array ? std::to_string(scope.index) : json_pointer_token(scope.key);
    }
    return path;
  }

  std::vector<Scope> scopes_;
  std::vector<std::string> found_;
};

/// What a look at the brackets, quotes and colons of JSON tells. Of text that is no JSON it tells
/// nothing, but that is found by the parser.
struct Outline {
  std::size_t keys = 0;      ///< those that stand twice included
  std::size_t too_deep = 0;  ///< the offset of the first bracket beyond kMaxDepth, or npos
};

/// Values are walked by recursion, here and elsewhere.
constexpr int kMaxDepth = 100;

Outline outline_of(std::string_view text) {
  Outline outline{0, std::string_view::npos};
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_text = !in_text;
    if (c == '\\' && in_text) ++i;
    if (in_text) continue;
    if (c == ':') ++outline.keys;
    if (c == ']' || c == '}') --depth;
    if ((c == '[' || c == '{') && ++depth > kMaxDepth) {
      outline.too_deep = i;
      break;
    }
  }
  return outline;
}

std::size_t count_members(const Json& value) {
  std::size_t count = value.is_object() ? value.size() : 0;
  if (value.is_structured()) {
    for (const Json& item : value) count += count_members(item);
  }
  return count;
}

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto start = before.rfind('\n');
  const auto column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return fmt::format("{}:{}", line, column);
}

/// The library's message without its prefix and its repetition of the place:
/// "[json.exception.parse_error.101] parse error at line 1, column 3: syntax error while ... -
/// why", "[json.exception.out_of_range.406] number overflow parsing '1e999'".
std::string reason_of(const Json::exception& error) {
  const std::string_view what = error.what();
  for (const std::string_view before : {" - ", ": ", "] "}) {
    const auto at = what.find(before);
    if (at != std::string_view::npos) return std::string(what.substr(at + before.size()));
  }
  return std::string(what);
}

/// Where the number stands that the message quotes.
std::size_t offset_of_number(std::string_view text, const Json::out_of_range& error) {
  const std::string_view what = error.what();
  const auto quote = what.find('\'');
  return std::min(text.find(what.substr(quote + 1, what.rfind('\'') - quote - 1)), text.size());
}

}  // namespace

std::optional<Json> parse_json(std::string_view text, const std::string& file,
                               Diagnostics& diagnostics) {
  const auto no_json = [&](std::size_t offset, const std::string& why) {
    diagnostics.error(file, line_and_column(text, offset), "not JSON: " + why);
    return std::nullopt;
  };
  const Outline outline = outline_of(text);
  if (outline.too_deep != std::string_view::npos) {
    return no_json(outline.too_deep, fmt::format("nested deeper than {} levels", kMaxDepth));
  }
  try {
    Json value = Json::parse(text);
    if (count_members(value) == outline.keys) return value;
  } catch (const Json::parse_error& error) {
    // `byte` counts from 1 and points at the last character read.
    return no_json(error.byte == 0 ? 0 : std::min(error.byte - 1, text.size()), reason_of(error));
  } catch (const Json::out_of_range& error) {
    return no_json(offset_of_number(text, error), reason_of(error));
  }
  // Some key was dropped: a second, slower look tells which.
  DuplicateKeys duplicates;
  const Json last_ones = Json::parse(text, std::ref(duplicates));
  for (const std::string& pointer : duplicates.found()) {
    diagnostics.error(file, pointer, "the key stands here twice", "keep one of them");
  }
  return std::nullopt;
}

std::string dump_json(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

}  // namespace dsbuild
