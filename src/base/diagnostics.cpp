#include "base/diagnostics.h"

#include <algorithm>
#include <utility>

namespace dsbuild {

std::string render_diagnostic(const Diagnostic& d) {
  std::string line = d.file;
  if (!d.where.empty()) line += (line.empty() ? "" : ": ") + d.where;
  if (!line.empty()) line += ": ";
  if (d.severity == Severity::warning) line += "warning: ";
  line += d.message;
  if (!d.hint.empty()) line += "; " + d.hint;
  return line;
}

void Diagnostics::error(std::string file, std::string where, std::string message,
                        std::string hint) {
  all_.push_back(
      {Severity::error, std::move(file), std::move(where), std::move(message), std::move(hint)});
}

void Diagnostics::warning(std::string file, std::string where, std::string message,
                          std::string hint) {
  all_.push_back(
      {Severity::warning, std::move(file), std::move(where), std::move(message), std::move(hint)});
}

bool Diagnostics::has_errors() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

}  // namespace dsbuild
