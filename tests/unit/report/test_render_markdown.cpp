#include <catch2/catch.hpp>

#include "report/document.h"

using namespace dsbuild::report;

TEST_CASE("a document becomes headings and tables that GitHub renders") {
  const Document document{"title",
                          {{"section", {"a", "b"}, {{{"x"}, {"1"}}, {{""}, {"2"}}}, {"a note"}}}};
  CHECK(render_markdown(document) ==
        "## title\n\n"
        "### section\n\n"
        "| a | b |\n"
        "| --- | --- |\n"
        "| x | 1 |\n"
        "| | 2 |\n\n"
        "a note\n");
}

TEST_CASE("a table without a header has an empty one, for Markdown has none without") {
  CHECK(render_markdown({"", {{"", {}, {{{"k"}, {"v"}}}, {}}}}) ==
        "\n| | |\n| --- | --- |\n| k | v |\n");
}

TEST_CASE("a cell stays a cell, whatever it holds") {
  CHECK(render_markdown({"", {{"", {"c"}, {{{"a|b <x> *y* [z] `q`\nn"}}}, {}}}}) ==
        "\n| c |\n| --- |\n| a\\|b &lt;x> \\*y\\* \\[z\\] \\`q\\`<br>n |\n");
}

TEST_CASE("a section with nothing to tell is left out of Markdown, too") {
  CHECK(render_markdown({"t", {{"empty", {"a"}, {}, {}}}}) == "## t\n");
}
