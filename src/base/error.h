// The one exception of dsbuild: what stops the work. Missing facts are data (fact.h), wrong input
// is collected (diagnostics.h). Knows nothing of how it is shown; main catches it.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "base/exit_code.h"

namespace dsbuild {

/// Thrown when the work can't go on.
struct Error : std::exception {
  ExitCode code;
  std::string message;  ///< what is wrong
  std::string where;    ///< the file, variable or flag it came from; may be empty
  std::string hint;     ///< what to do next; may be empty

  Error(ExitCode code_, std::string message_, std::string where_ = {}, std::string hint_ = {})
      : code(code_),
        message(std::move(message_)),
        where(std::move(where_)),
        hint(std::move(hint_)) {}

  const char* what() const noexcept override { return message.c_str(); }
};

}  // namespace dsbuild
