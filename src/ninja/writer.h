// Writes the Ninja syntax (https://ninja-build.org/manual.html#ref_ninja_file): comments,
// variables, rules, build statements. Knows no plan and no compiler.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dsbuild::ninja {

/// A path in a build statement. Throws Error(bad_input) for a line break, which Ninja can't
/// express.
std::string escape_path(std::string_view path);

/// The value of a variable, taken literally. Throws as escape_path does.
std::string escape_value(std::string_view value);

using Variables = std::vector<std::pair<std::string_view, std::string_view>>;

class Writer {
 public:
  Writer();

  void comment(std::string_view line);
  /// Values are Ninja text: `$name` is expanded when an edge runs.
  void rule(std::string_view name, const Variables& variables);
  /// Paths and values are taken literally; variables with an empty value are left out.
  void build(const std::vector<std::string>& outputs, std::string_view rule,
             const std::vector<std::string>& inputs, const Variables& variables);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace dsbuild::ninja
