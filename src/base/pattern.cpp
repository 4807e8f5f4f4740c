#include "base/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

namespace dsbuild {
namespace {

PCRE2_SPTR bytes(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

std::string message_of(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

struct Pattern::Code {
  explicit Code(pcre2_code* made) : compiled(made) {}
  ~Code() { pcre2_code_free(compiled); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  pcre2_code* compiled;
};

Pattern::Pattern(std::string_view regex) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* made = pcre2_compile(bytes(regex), regex.size(), 0, &error, &offset, nullptr);
  if (made == nullptr) {
    throw std::invalid_argument(fmt::format("{} at offset {}", message_of(error), offset));
  }
  code_ = std::make_shared<const Code>(made);
}

bool Pattern::has_group() const {
  std::uint32_t groups = 0;
  pcre2_pattern_info(code_->compiled, PCRE2_INFO_CAPTURECOUNT, &groups);
  return groups > 0;
}

std::optional<std::string> Pattern::find(std::string_view text) const {
  const std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> match(
      pcre2_match_data_create_from_pattern(code_->compiled, nullptr), &pcre2_match_data_free);
  if (!match) throw std::bad_alloc();
  // A negative result is "no match", or a text on which the pattern would take for ever.
  if (pcre2_match(code_->compiled, bytes(text), text.size(), 0, 0, match.get(), nullptr) < 0) {
    return std::nullopt;
  }
  PCRE2_UCHAR* group = nullptr;
  PCRE2_SIZE size = 0;
  if (pcre2_substring_get_bynumber(match.get(), 1, &group, &size) != 0) return "";
  std::string found(reinterpret_cast<const char*>(group), size);
  pcre2_substring_free(group);
  return found;
}

std::vector<std::string> Pattern::find_all(std::string_view text) const {
  const std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> match(
      pcre2_match_data_create_from_pattern(code_->compiled, nullptr), &pcre2_match_data_free);
  if (!match) throw std::bad_alloc();
  std::vector<std::string> found;
  for (PCRE2_SIZE at = 0; at <= text.size();) {
    if (pcre2_match(code_->compiled, bytes(text), text.size(), at, 0, match.get(), nullptr) < 0) {
      break;
    }
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
    const std::string_view one = text.substr(ends[0], ends[1] - ends[0]);
    if (std::find(found.begin(), found.end(), one) == found.end()) found.emplace_back(one);
    at = std::max(ends[1], at + 1);
  }
  return found;
}

}  // namespace dsbuild
