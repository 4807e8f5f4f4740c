#include "machines/json_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace dsbuild::machines {
namespace {

/// What tells an element from the others of its list; empty: nothing does.
std::string name_of(const Json& element) {
  if (!element.is_object()) return {};
  if (element.contains("op") && element.contains("accelerator"))
    return element.at("op").get<std::string>() + "@" + element.at("accelerator").get<std::string>();
  for (const char* key : {"address", "id", "name", "kind"}) {
    if (element.contains(key) && element.at(key).is_string() && element.at(key) != "")
      return element.at(key);
  }
  return {};
}

const Json* find_element(const Json& list, const std::string& token) {
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  if (std::from_chars(token.data(), end, index).ptr == end)
    return index < list.size() ? &list[index] : nullptr;
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const Json& element) { return name_of(element) == token; });
  return found == list.end() ? nullptr : &*found;
}

std::string unescape(std::string token) {
  token = replace_all(std::move(token), "~1", "/");
  return replace_all(std::move(token), "~0", "~");
}

bool is_elsewhere(const std::string& pointer, const std::vector<std::string>& elsewhere) {
  return std::any_of(elsewhere.begin(), elsewhere.end(), [&](const std::string& other) {
    return pointer == other || pointer.starts_with(other + "/");
  });
}

void compare_list(const Json& expected, const Json& actual,
                  const std::vector<std::string>& elsewhere, const std::string& pointer,
                  std::vector<Mismatch>& problems) {
  if (pointer.ends_with("/devices") && expected.size() != actual.size()) {
    problems.push_back(
        {pointer, fmt::format("{} devices instead of {}", actual.size(), expected.size())});
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string name = name_of(expected[i]);
    const std::string token = name.empty() ? std::to_string(i) : name;
    const std::string below = pointer + "/" + json_pointer_token(token);
    if (is_elsewhere(below, elsewhere)) continue;
    const Json* element = find_element(actual, token);
    if (element == nullptr) {
      problems.push_back({below, "is not in the report"});
      continue;
    }
    for (Mismatch& problem : find_mismatches(expected[i], *element, elsewhere, below))
      problems.push_back(std::move(problem));
  }
}

}  // namespace

const Json* find_pointer(const Json& json, const std::string& pointer) {
  const Json* at = &json;
  for (const std::string& token : split(pointer, "/")) {
    const std::string key = unescape(token);
    if (at->is_array()) {
      at = find_element(*at, key);
    } else {
      at = at->is_object() && at->contains(key) ? &at->at(key) : nullptr;
    }
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::vector<Mismatch> find_mismatches(const Json& expected, const Json& actual,
                                      const std::vector<std::string>& elsewhere,
                                      const std::string& pointer) {
  std::vector<Mismatch> problems;
  if (is_elsewhere(pointer, elsewhere)) return problems;
  if (expected.is_object() && actual.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      const std::string below = pointer + "/" + json_pointer_token(key);
      if (is_elsewhere(below, elsewhere)) continue;
      if (!actual.contains(key)) {
        problems.push_back({below, "is not in the report"});
        continue;
      }
      for (Mismatch& problem : find_mismatches(value, actual.at(key), elsewhere, below))
        problems.push_back(std::move(problem));
    }
  } else if (expected.is_array() && actual.is_array() &&
             (expected.empty() || expected[0].is_object())) {
    compare_list(expected, actual, elsewhere, pointer, problems);
  } else if (expected != actual) {
    problems.push_back({pointer, fmt::format("{} instead of {}", actual.dump(), expected.dump())});
  }
  return problems;
}

std::vector<Mismatch> check_expectation(const Json& report, const std::string& pointer,
                                        const Json& expected) {
  const Json* actual = find_pointer(report, pointer);
  if (actual == nullptr) return {{pointer, "the report has no such value"}};
  if (expected.is_object() && expected.contains("says")) {
    const std::string text = expected.at("says");
    if (actual->is_string() && actual->get<std::string>().find(text) != std::string::npos)
      return {};
    return {{pointer, fmt::format("{} does not say \"{}\"", actual->dump(), text)}};
  }
  if (*actual == expected) return {};
  return {{pointer, fmt::format("{} instead of {}", actual->dump(), expected.dump())}};
}

}  // namespace dsbuild::machines
