// Ninja's own words, sorted: how many steps there are, that nothing was to do, what it complains
// of. Knows Ninja's output, nothing of steps' events.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/system.h"

namespace dsbuild::run {

/// The value of NINJA_STATUS that makes its status lines ours to read.
inline constexpr std::string_view kNinjaStatus = "@dsbuild %t ";

/// Ninja's and its shell's, in which its output can be read. Steps bring their own.
Environment ninja_environment();

/// Takes Ninja's output piece by piece.
class NinjaOutput {
 public:
  /// `on_line` gets warnings and explanations, which a person should see as they come.
  explicit NinjaOutput(std::function<void(std::string_view)> on_line)
      : on_line_(std::move(on_line)) {}

  void add(std::string_view piece);

  std::size_t total_steps() const { return total_steps_; }  ///< 0: not told yet
  bool nothing_to_do() const { return nothing_to_do_; }
  /// All that is neither status nor the echo of a failed step, without the prefix "ninja: ".
  const std::string& message() const { return message_; }

 private:
  void take_line(std::string_view line);

  std::function<void(std::string_view)> on_line_;
  std::string rest_;
  std::size_t total_steps_ = 0;
  bool nothing_to_do_ = false;
  std::string message_;
};

}  // namespace dsbuild::run
