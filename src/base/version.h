// Version numbers and ranges, compared as numbers: 12.10 is after 12.9.
// Knows no product; there are no lists of known versions.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsbuild {

/// Dotted numbers as they were written, "12.2.0-14+deb12u1" being 12.2.0.
struct Version {
  std::vector<int> parts;
  std::string text;  ///< what was read, for showing

  /// The leading dotted number of `text`; empty when it doesn't begin with a digit.
  static std::optional<Version> parse(std::string_view text);

  int part(std::size_t i) const { return i < parts.size() ? parts[i] : 0; }
  int major_part() const { return part(0); }
  /// "13.0.88"
  std::string number() const;

  /// Missing parts count as 0: 13 == 13.0.
  std::strong_ordering operator<=>(const Version& other) const;
  bool operator==(const Version& other) const { return (*this <=> other) == 0; }
};

/// Bounds that a version must keep, all of them: ">=12.3, <14".
class VersionRange {
 public:
  /// `error` says what is wrong and what to write; untouched when the text parses.
  static std::optional<VersionRange> parse(std::string_view text, std::string* error = nullptr);

  bool contains(const Version& version) const;
  const std::string& text() const { return text_; }
  bool operator==(const VersionRange& other) const { return text_ == other.text_; }

 private:
  enum class Op { ge, gt, le, lt, eq, ne };
  struct Bound {
    Op op;
    Version version;
  };
  std::vector<Bound> bounds_;
  std::string text_;
};

}  // namespace dsbuild
