// Collects everything that is wrong with the input, so that one run tells it all.
// Knows nothing of manifests or command lines; it only keeps and renders what it is told.
#pragma once

#include <string>
#include <vector>

namespace dsbuild {

enum class Severity { error, warning };

/// One problem: `file: where: message, hint`.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;     ///< the file, variable or flag
  std::string where;    ///< a JSON pointer ("/kernels/0/on"), or "line:column"; may be empty
  std::string message;  ///< what is wrong
  std::string hint;     ///< what to write instead; may be empty

  bool operator==(const Diagnostic&) const = default;
};

/// `file: where: message; hint` on one line.
std::string render_diagnostic(const Diagnostic& diagnostic);

/// The problems found so far, in the order they were found.
class Diagnostics {
 public:
  void error(std::string file, std::string where, std::string message, std::string hint = {});
  void warning(std::string file, std::string where, std::string message, std::string hint = {});

  bool has_errors() const;
  const std::vector<Diagnostic>& all() const { return all_; }

 private:
  std::vector<Diagnostic> all_;
};

}  // namespace dsbuild
