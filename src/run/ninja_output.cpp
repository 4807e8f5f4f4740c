#include "run/ninja_output.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace dsbuild::run {
namespace {

constexpr std::string_view kStatus = kNinjaStatus.substr(0, kNinjaStatus.find('%'));

/// Lines that say nothing new: failed steps have told of themselves.
constexpr auto kEchoes = std::to_array<std::string_view>({
    "FAILED: ",
    "./step ",
    "ninja: build stopped: ",
});

constexpr auto kForPeople = std::to_array<std::string_view>({
    "ninja: warning: ",
    "ninja explain: ",
});

template <std::size_t n>
bool begins_with_any(std::string_view line, const std::array<std::string_view, n>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return line.starts_with(prefix); });
}

}  // namespace

Environment ninja_environment() {
  return {{"LC_ALL", "C"}, {"PATH", "/usr/bin:/bin"}, {"TERM", "dumb"}};
}

void NinjaOutput::add(std::string_view piece) {
  rest_ += piece;
  std::string_view text = rest_;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    take_line(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  rest_.erase(0, rest_.size() - text.size());
}

void NinjaOutput::take_line(std::string_view line) {
  constexpr std::string_view kPrefix = "ninja: ";
  if (line.empty() || begins_with_any(line, kEchoes)) return;
  if (line.starts_with(kStatus)) {
    line.remove_prefix(kStatus.size());
    std::from_chars(line.data(), line.data() + line.size(), total_steps_);
  } else if (line == "ninja: no work to do.") {
    nothing_to_do_ = true;
  } else if (begins_with_any(line, kForPeople)) {
    on_line_(line);
  } else {
    if (line.starts_with(kPrefix)) line.remove_prefix(kPrefix.size());
    if (!message_.empty()) message_ += '\n';
    message_ += line;
  }
}

}  // namespace dsbuild::run
