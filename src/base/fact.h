// A value with where it came from, or the reason it is missing: the currency of probing.
// Knows nothing of what is measured.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace dsbuild {

/// How much a value's origin is worth where several give one: what the device or its driver said
/// when asked, what the kernel's files say, what a table of ids says.
enum class Confidence : unsigned char { unranked, table, kernel, measured };

/// A fact about the machine. Unknown is never a zero: `value` is empty and `reason` says why.
template <typename T>
struct Fact {
  std::optional<T> value;
  std::string source;  ///< the file, tool or variable that gave the value
  std::string reason;  ///< why there is no value; empty when there is one
  Confidence confidence = Confidence::unranked;

  static Fact known(T v, std::string from) { return {std::move(v), std::move(from), {}, {}}; }
  static Fact missing(std::string why, std::string from = {}) {
    return {std::nullopt, std::move(from), std::move(why), {}};
  }

  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  const T* operator->() const { return &*value; }
  bool operator==(const Fact&) const = default;
};

}  // namespace dsbuild
