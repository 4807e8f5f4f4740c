#include <algorithm>
#include <cctype>

#include "base/elf.h"

namespace dsbuild {
namespace {

/// Words of PTX text: names, directives and numbers; other characters stand alone, comments and
/// strings are skipped. https://docs.nvidia.com/cuda/parallel-thread-execution/#syntax
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  /// Empty at the end.
  std::string_view next() {
    skip();
    std::size_t size = 0;
    while (size < rest_.size() && is_word(rest_[size])) ++size;
    return take(std::max<std::size_t>(size, rest_.empty() ? 0 : 1));
  }

 private:
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' ||
           c == '%';
  }
  std::string_view take(std::size_t size) {
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }
  void skip_past(std::string_view end, std::size_t from) {
    const auto at = rest_.find(end, from);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
  }
  void skip() {
    for (;;) {
      const auto start = rest_.find_first_not_of(" \t\r\n");
      rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
      if (rest_.starts_with("//")) {
        skip_past("\n", 2);
      } else if (rest_.starts_with("/*")) {
        skip_past("*/", 2);
      } else if (rest_.starts_with('"')) {
        skip_past("\"", 1);
      } else {
        return;
      }
    }
  }

  std::string_view rest_;
};

}  // namespace

ElfFacts parse_ptx(std::string_view text) {
  ElfFacts facts;
  Words words(text);
  bool versioned = false;
  int open_braces = 0;
  for (auto word = words.next(); !word.empty(); word = words.next()) {
    // `.version` must be the first directive, so anything else here is no PTX.
    if (!versioned && word != ".version") break;
    versioned = true;
    if (word == ".target" && facts.target.empty()) facts.target = words.next();
    open_braces += word == "{" ? 1 : word == "}" ? -1 : 0;
    if (word == ".entry") facts.kernels.emplace_back(words.next());
  }
  if (!versioned) return {.problem = text.empty() ? "the file is empty" : "neither ELF nor PTX"};
  if (facts.target.empty()) return {.problem = "PTX without a .target"};
  if (open_braces != 0) return {.problem = "truncated: the PTX ends inside a function"};
  facts.device = true;
  std::sort(facts.kernels.begin(), facts.kernels.end());
  facts.exported = facts.kernels;
  return facts;
}

}  // namespace dsbuild
