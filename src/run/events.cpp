#include "run/events.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/error.h"

namespace dsbuild::run {
namespace {

/// A value and the word that stands for it in a line.
template <typename T>
struct WordRow {
  T value;
  std::string_view word;
};

constexpr std::array<WordRow<StepState>, 4> kStates{{
    {StepState::started, "started"},
    {StepState::done, "done"},
    {StepState::failed, "failed"},
    {StepState::interrupted, "interrupted"},
}};

constexpr std::array<WordRow<CacheUse>, 3> kCacheUses{{
    {CacheUse::none, "-"},
    {CacheUse::hit, "hit"},
    {CacheUse::miss, "miss"},
}};

template <typename Table, typename T>
std::string_view word_of(const Table& table, T value) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& row) { return row.value == value; })
      ->word;
}

/// False when the table has no such word.
template <typename Table, typename T>
bool parse_word(const Table& table, std::string_view word, T& value) {
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& r) { return r.word == word; });
  if (row == table.end()) return false;
  value = row->value;
  return true;
}

/// What a cause may take of a line; a step's id takes the rest.
constexpr std::size_t kCauseLimit = 1000;

std::string one_field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  text.resize(std::min(text.size(), kCauseLimit));
  return text;
}

/// The text up to the next tab, which is taken away with it.
std::string_view take_field(std::string_view& line) {
  const auto end = line.find('\t');
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return field;
}

template <typename T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string render_event(const Event& event) {
  std::string line = fmt::format(
      "{}\t{:.3f}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", word_of(kStates, event.state), event.seconds,
      event.peak_memory, word_of(kCacheUses, event.cache), event.parts_taken, event.parts_made,
      one_field(event.remark), one_field(event.cause), event.step);
  line.resize(std::min<std::size_t>(line.size(), PIPE_BUF - 1));
  return line + "\n";
}

std::optional<Event> parse_event(std::string_view line) {
  Event event;
  if (!parse_word(kStates, take_field(line), event.state)) return std::nullopt;
  if (!parse_number(take_field(line), event.seconds)) return std::nullopt;
  if (!parse_number(take_field(line), event.peak_memory)) return std::nullopt;
  if (!parse_word(kCacheUses, take_field(line), event.cache)) return std::nullopt;
  if (!parse_number(take_field(line), event.parts_taken)) return std::nullopt;
  if (!parse_number(take_field(line), event.parts_made)) return std::nullopt;
  event.remark = take_field(line);
  event.cause = take_field(line);
  event.step = line;
  return event.step.empty() ? std::nullopt : std::optional(std::move(event));
}

EventPipe::EventPipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error(ExitCode::file_system, fmt::format("can't make a pipe: {}", std::strerror(errno)));
  }
  read_end_ = ends[0];
  write_end_ = ends[1];
  ::fcntl(read_end_, F_SETFL, O_NONBLOCK);
  ::fcntl(write_end_, F_SETFD, 0);
}

EventPipe::~EventPipe() {
  ::close(read_end_);
  ::close(write_end_);
}

void EventPipe::drain(const std::function<void(const Event&)>& on_event) {
  std::array<char, 1 << 14> buffer{};
  for (;;) {
    const ssize_t n = ::read(read_end_, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    rest_.append(buffer.data(), static_cast<std::size_t>(n));
  }
  std::string_view text = rest_;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    if (const auto event = parse_event(text.substr(0, end))) on_event(*event);
    text.remove_prefix(end + 1);
  }
  rest_.erase(0, rest_.size() - text.size());
}

}  // namespace dsbuild::run
