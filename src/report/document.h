// A report as a value: sections of rows. Rendered as text or Markdown; knows nothing of what it
// tells.
#pragma once

#include <string>
#include <vector>

namespace dsbuild::report {

/// How a cell is coloured on a terminal. Colour never carries meaning alone.
enum class Tone { plain, good, warning, bad, dim };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
};

/// A table: every row has as many cells as `columns`. Empty `columns`: key and value pairs without
/// a header.
struct Section {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;  ///< after the table, each once
};

struct Document {
  std::string title;
  std::vector<Section> sections;
};

struct TextStyle {
  bool colour = false;
  int width = 80;  ///< the last column wraps within it
};

std::string render_text(const Document& document, const TextStyle& style);

/// GitHub's flavour: a heading and a table for each section. What would be markup in a cell is
/// escaped. https://github.github.com/gfm/#tables-extension-
std::string render_markdown(const Document& document);

}  // namespace dsbuild::report
