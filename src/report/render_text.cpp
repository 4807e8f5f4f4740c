#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "report/document.h"

namespace dsbuild::report {
namespace {

constexpr std::string_view kIndent = "  ";
constexpr std::size_t kGap = 2;
constexpr std::size_t kMinimumLast = 20;  // a last column narrower than this is not wrapped further

/// What a terminal shows one column for. UTF-8 continuation bytes show nothing; wide characters are
/// not told apart (they appear only in names that users gave).
std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string_view colour_code(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::good:
      return "\033[32m";
    case Tone::warning:
      return "\033[33m";
    case Tone::bad:
      return "\033[31m";
    case Tone::dim:
      return "\033[2m";
  }
  return "";
}

std::string painted(std::string_view text, Tone tone, const TextStyle& style) {
  const std::string_view code = colour_code(tone);
  if (!style.colour || code.empty() || text.empty()) return std::string(text);
  return std::string(code) + std::string(text) + "\033[0m";
}

/// Lines of at most `width` columns, broken at spaces; a longer word gets a line of its own.
std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string& word : split(text, " ")) {
    std::string& line = lines.back();
    if (!line.empty() && shown_width(line) + 1 + shown_width(word) > width) {
      lines.push_back(word);
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return lines;
}

using Row = std::vector<Cell>;

std::vector<std::size_t> column_widths(const Section& section) {
  std::vector<std::size_t> widths;
  const auto widen = [&widths](std::size_t column, std::string_view text) {
    if (widths.size() <= column) widths.resize(column + 1, 0);
    widths[column] = std::max(widths[column], shown_width(text));
  };
  for (std::size_t i = 0; i < section.columns.size(); ++i) widen(i, section.columns[i]);
  for (const Row& row : section.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widen(i, row[i].text);
  }
  return widths;
}

void add_row(std::string& text, const Row& row, const std::vector<std::size_t>& widths,
             const TextStyle& style) {
  std::string line(kIndent);
  std::size_t used = kIndent.size();
  for (std::size_t i = 0; i + 1 < row.size(); ++i) {
    const std::size_t width = shown_width(row[i].text);
    const std::size_t padding = widths[i] - std::min(widths[i], width) + kGap;
    line += painted(row[i].text, row[i].tone, style) + std::string(padding, ' ');
    used += width + padding;
  }
  if (!row.empty()) {
    const auto room = static_cast<std::size_t>(std::max(style.width, 0));
    const std::size_t last = std::max(kMinimumLast, room - std::min(room, used));
    const std::vector<std::string> pieces = wrap(row.back().text, last);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (i > 0) line += "\n" + std::string(used, ' ');
      line += painted(pieces[i], row.back().tone, style);
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  text += line + "\n";
}

void add_section(std::string& text, const Section& section, const TextStyle& style) {
  if (!section.title.empty()) text += section.title + "\n";
  const std::vector<std::size_t> widths = column_widths(section);
  if (!section.columns.empty()) {
    Row header;
    for (const std::string& column : section.columns) header.push_back({column, Tone::dim});
    add_row(text, header, widths, style);
  }
  for (const Row& row : section.rows) add_row(text, row, widths, style);
  for (const std::string& note : section.notes) {
    add_row(text, {{note, Tone::dim}}, {}, style);
  }
}

}  // namespace

std::string render_text(const Document& document, const TextStyle& style) {
  std::string text;
  if (!document.title.empty()) text += document.title + "\n";
  for (const Section& section : document.sections) {
    if (section.rows.empty() && section.notes.empty()) continue;
    if (!text.empty()) text += "\n";
    add_section(text, section, style);
  }
  return text;
}

}  // namespace dsbuild::report
