#include "base/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace dsbuild {

std::optional<Version> Version::parse(std::string_view text) {
  text = trim(text);
  Version version;
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    int part = 0;
    const auto [next, error] = std::from_chars(at, end, part);
    if (error != std::errc()) break;
    version.parts.push_back(part);
    at = next;
    // A dot continues the number only when a digit follows: "13.0.x" is 13.0.
    if (end - at < 2 || *at != '.' || at[1] < '0' || at[1] > '9') break;
    ++at;
  }
  if (version.parts.empty()) return std::nullopt;
  version.text = std::string(text);
  return version;
}

std::string Version::number() const {
  return fmt::format("{}", fmt::join(parts, "."));
}

std::strong_ordering Version::operator<=>(const Version& other) const {
  const std::size_t n = std::max(parts.size(), other.parts.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (const auto order = part(i) <=> other.part(i); order != 0) return order;
  }
  return std::strong_ordering::equal;
}

std::optional<VersionRange> VersionRange::parse(std::string_view text, std::string* error) {
  static constexpr std::array<std::pair<std::string_view, Op>, 6> kOps{{{">=", Op::ge},
                                                                        {"<=", Op::le},
                                                                        {"==", Op::eq},
                                                                        {"!=", Op::ne},
                                                                        {">", Op::gt},
                                                                        {"<", Op::lt}}};
  VersionRange range;
  range.text_ = std::string(trim(text));
  const auto fail = [&](const std::string& why) {
    if (error != nullptr) *error = why + ", write for example \">=12.3\" or \">=12.3, <14\"";
    return std::nullopt;
  };
  for (const std::string& bound : split(text, ",")) {
    const auto op = std::find_if(kOps.begin(), kOps.end(),
                                 [&](const auto& row) { return bound.starts_with(row.first); });
    if (op == kOps.end()) return fail(fmt::format("'{}' has no comparison", bound));
    const std::string_view number = trim(std::string_view(bound).substr(op->first.size()));
    auto version = Version::parse(number);
    if (!version || version->number() != number) {
      return fail(fmt::format("'{}' is no version number", number));
    }
    range.bounds_.push_back({op->second, std::move(*version)});
  }
  if (range.bounds_.empty()) return fail("the range is empty");
  return range;
}

bool VersionRange::contains(const Version& version) const {
  return std::all_of(bounds_.begin(), bounds_.end(), [&](const Bound& bound) {
    const auto order = version <=> bound.version;
    switch (bound.op) {
      case Op::ge:
        return order >= 0;
      case Op::gt:
        return order > 0;
      case Op::le:
        return order <= 0;
      case Op::lt:
        return order < 0;
      case Op::eq:
        return order == 0;
      case Op::ne:
        return order != 0;
    }
    return false;
  });
}

}  // namespace dsbuild
