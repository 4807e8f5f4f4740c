// A regular expression that was compiled once. Knows PCRE2, not what is looked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsbuild {

/// Perl's syntax (https://www.pcre.org/current/doc/html/pcre2syntax.html), over bytes. Safe to use
/// from several threads.
class Pattern {
 public:
  /// Throws std::invalid_argument with what is wrong and where.
  explicit Pattern(std::string_view regex);

  bool has_group() const;
  /// The first group of the first match, "" when the match doesn't use it; nothing: no match.
  std::optional<std::string> find(std::string_view text) const;
  /// All that matches, each text once, in the order of their first places.
  std::vector<std::string> find_all(std::string_view text) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace dsbuild
