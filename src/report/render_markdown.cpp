#include "report/document.h"

namespace dsbuild::report {
namespace {

/// As a cell shows it: a bar would end the cell, the others would be markup. Underscores within
/// words (x86_64) are none there.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '\n') {
      out += "<br>";
    } else {
      if (std::string_view("|*`\\[]~").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string table_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += cell.empty() ? " |" : " " + cell + " |";
  return line + "\n";
}

void add_section(std::string& text, const Section& section) {
  if (!section.title.empty()) text += "\n### " + escaped(section.title) + "\n";
  if (!section.rows.empty()) {
    const std::size_t count = section.rows.front().size();
    std::vector<std::string> header(count);
    for (std::size_t i = 0; i < section.columns.size() && i < count; ++i)
      header[i] = escaped(section.columns[i]);
    text += "\n" + table_line(header) + table_line(std::vector<std::string>(count, "---"));
    for (const std::vector<Cell>& row : section.rows) {
      std::vector<std::string> cells;
      for (const Cell& cell : row) cells.push_back(escaped(cell.text));
      text += table_line(cells);
    }
  }
  for (const std::string& note : section.notes) text += "\n" + escaped(note) + "\n";
}

}  // namespace

std::string render_markdown(const Document& document) {
  std::string text;
  if (!document.title.empty()) text += "## " + escaped(document.title) + "\n";
  for (const Section& section : document.sections) {
    if (!section.rows.empty() || !section.notes.empty()) add_section(text, section);
  }
  return text;
}

}  // namespace dsbuild::report
