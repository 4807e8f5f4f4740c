#include "run/part_names.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/text.h"

namespace dsbuild::run {
namespace {

// A mark: this byte, which no source has, a letter, a number, a semicolon.
constexpr char kMark = '\x01';
constexpr char kFile = 'f';
constexpr char kIdentifier = 'i';
constexpr char kMangled = 'm';  // an identifier and its length before it

std::string mark(char kind, std::size_t index) {
  return fmt::format("{}{}{};", kMark, kind, index);
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$';
}

/// Where `part` begins in `text` from `at` on, or npos. The texts have megabytes.
std::size_t find_in(std::string_view text, std::string_view part, std::size_t at = 0) {
  const void* found = ::memmem(text.data() + at, text.size() - at, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

/// The longest first: one may be the end of another.
std::vector<std::size_t> by_length(const std::vector<std::string>& names) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return names[a].size() > names[b].size(); });
  return order;
}

/// What the decimal numbers of a text spell, each the code of a letter: so assembler has strings
/// and debug information.
std::string spelled_in(std::string_view text) {
  std::string letters;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] < '0' || text[at] > '9' || (at > 0 && is_word(text[at - 1]))) {
      ++at;
      continue;
    }
    unsigned number = 0;
    const auto end = std::from_chars(text.data() + at, text.data() + text.size(), number).ptr;
    letters += number < 128 ? static_cast<char>(number) : '\0';
    at = static_cast<std::size_t>(end - text.data());
  }
  return letters;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

PartNames::PartNames(const std::string& output, const std::vector<std::string>& words)
    : stem_(output.substr(output.rfind('/') + 1) + ".") {
  for (const std::string& word : words) {
    if (word.starts_with(output + ".") || word.starts_with(stem_)) add_once(files_, word);
  }
}

void PartNames::add_identifiers(const std::vector<std::string>& identifiers) {
  for (const std::string& identifier : identifiers) add_once(identifiers_, identifier);
}

bool PartNames::names_file(std::string_view text) const {
  return find_in(text, stem_) != std::string_view::npos;
}

bool PartNames::holds_identifier(std::string_view text) const {
  if (identifiers_.empty()) return false;
  const std::string letters = spelled_in(text);
  return std::any_of(identifiers_.begin(), identifiers_.end(), [&](const std::string& name) {
    return find_in(text, name) != std::string_view::npos ||
           find_in(letters, name) != std::string_view::npos;
  });
}

std::string PartNames::hide_identifier(std::string text, std::size_t index) const {
  const std::string& name = identifiers_[index];
  const std::string length = std::to_string(name.size());
  std::string hidden;
  std::size_t done = 0;
  for (auto at = find_in(text, name); at != std::string::npos; at = find_in(text, name, done)) {
    const std::size_t end = at + name.size();
    const std::string_view before = std::string_view(text).substr(done, at - done);
    if (before.ends_with(length)) {
      hidden.append(before, 0, before.size() - length.size()).append(mark(kMangled, index));
    } else if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      hidden.append(before).append(mark(kIdentifier, index));
    } else {  // part of something else, which the caller will see
      hidden.append(before).append(name);
    }
    done = end;
  }
  if (done == 0) return text;
  return hidden.append(text, done);
}

std::optional<std::string> PartNames::hide(std::string_view text) const {
  if (text.find(kMark) != std::string_view::npos) return std::nullopt;
  std::string hidden(text);
  if (names_file(hidden)) {
    for (const std::size_t index : by_length(files_)) {
      hidden = replace_all(std::move(hidden), files_[index], mark(kFile, index));
    }
  }
  for (const std::size_t index : by_length(identifiers_)) {
    hidden = hide_identifier(std::move(hidden), index);
  }
  return hidden;
}

const std::string* PartNames::name_of(char kind, std::size_t index) const {
  const std::vector<std::string>& names = kind == kFile ? files_ : identifiers_;
  return index < names.size() ? &names[index] : nullptr;
}

std::string PartNames::show(std::string_view hidden) const {
  std::string text;
  std::size_t done = 0;
  for (auto at = hidden.find(kMark); at != std::string_view::npos; at = hidden.find(kMark, done)) {
    text.append(hidden, done, at - done);
    done = at + 1;
    const auto end = hidden.find(';', at);
    if (end == std::string_view::npos || end < at + 2) continue;
    std::size_t index = 0;
    std::from_chars(hidden.data() + at + 2, hidden.data() + end, index);
    const char kind = hidden[at + 1];
    const std::string* name = name_of(kind, index);
    if (name == nullptr) continue;
    if (kind == kMangled) text += std::to_string(name->size());
    text += *name;
    done = end + 1;
  }
  return text.append(hidden, done);
}

}  // namespace dsbuild::run
