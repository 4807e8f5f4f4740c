// Names in what a compiler's programs read and write that say nothing: of the step's temporary
// files, and identifiers with the list of archs in them. Hidden, two texts that differ in them
// alone are equal. Knows texts; no program.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dsbuild::run {

class PartNames {
 public:
  /// `output`: what the step makes; its temporary files' names begin with its path or its file name
  /// and a dot. `words`: of the program, some of which are such names.
  PartNames(const std::string& output, const std::vector<std::string>& words);
  /// Identifiers that differ with the archs, in the order in which texts have them.
  void add_identifiers(const std::vector<std::string>& identifiers);

  /// Each name as a mark: its kind and its place in the order. In a mangled name the length before
  /// an identifier goes with it. Nothing when the text holds such a mark already.
  std::optional<std::string> hide(std::string_view text) const;
  std::string show(std::string_view hidden) const;

  /// Whether a temporary file is named in the text, one that no word names too.
  bool names_file(std::string_view text) const;
  /// As it is, or letter by letter as numbers.
  bool holds_identifier(std::string_view text) const;
  const std::vector<std::string>& identifiers() const { return identifiers_; }

 private:
  std::string hide_identifier(std::string text, std::size_t index) const;
  const std::string* name_of(char kind, std::size_t index) const;

  std::string stem_;                ///< "a.o."
  std::vector<std::string> files_;  ///< as words have them
  std::vector<std::string> identifiers_;
};

}  // namespace dsbuild::run
