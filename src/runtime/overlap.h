// Knows which of some pieces of memory overlap in a way that a call must not.
// Does not know tensors or arguments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dsops::runtime {

/// A piece of memory that a call uses, not empty.
struct Span {
  std::uint64_t begin;
  std::uint64_t end;  ///< one past the last byte
  bool written;
  bool may_alias;  ///< written, and may be exactly a piece that is only read
  std::size_t id;  ///< the caller's
};

struct Overlap {
  bool exists = false;
  std::size_t first = 0, second = 0;  ///< ids, the smaller one first
};

inline bool is_allowed(const Span& a, const Span& b) {
  if (!a.written && !b.written) return true;
  const bool same = a.begin == b.begin && a.end == b.end;
  return same && a.written != b.written && (a.may_alias || b.may_alias);
}

/// Finds two pieces of which at least one is written and that share a byte. n log n where, as it
/// should be, few overlap.
inline Overlap find_overlap(std::vector<Span>& spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.id < b.id;
  });
  std::vector<Span> open;  // those before that reach beyond the beginning of the present one
  for (const Span& span : spans) {
    std::erase_if(open, [&](const Span& other) { return other.end <= span.begin; });
    for (const Span& other : open) {
      if (!is_allowed(span, other)) {
        return {true, std::min(span.id, other.id), std::max(span.id, other.id)};
      }
    }
    open.push_back(span);
  }
  return {};
}

}  // namespace dsops::runtime
