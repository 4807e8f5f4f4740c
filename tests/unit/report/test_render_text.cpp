#include <catch2/catch.hpp>

#include "report/document.h"

using namespace dsbuild::report;

TEST_CASE("columns are as wide as their widest cell, in characters") {
  const Document document{
      "title", {{"section", {"a", "b"}, {{{"x"}, {"1"}}, {{"größer"}, {"2"}}}, {"a note"}}}};
  CHECK(render_text(document, {}) ==
        "title\n\n"
        "section\n"
        "  a       b\n"
        "  x       1\n"
        "  größer  2\n"
        "  a note\n");
}

TEST_CASE("the last column wraps within the width and stays in its column") {
  const Document document{"", {{"", {}, {{{"key"}, {"one two three four five six seven"}}}, {}}}};
  CHECK(render_text(document, {false, 30}) ==
        "  key  one two three four five\n"
        "       six seven\n");
}

TEST_CASE("a word longer than the line is kept whole, so that paths can be copied") {
  const Document document{"",
                          {{"", {}, {{{"k"}, {"/a/very/long/path/that/does/not/fit/here"}}}, {}}}};
  CHECK(render_text(document, {false, 30}) == "  k  /a/very/long/path/that/does/not/fit/here\n");
}

TEST_CASE("colour is only there when asked for, and never changes the text") {
  const Document document{"", {{"", {}, {{{"k", Tone::good}, {"v", Tone::bad}}}, {}}}};
  CHECK(render_text(document, {false, 80}) == "  k  v\n");
  CHECK(render_text(document, {true, 80}) == "  \033[32mk\033[0m  \033[31mv\033[0m\n");
}

TEST_CASE("a section with nothing to tell is left out") {
  CHECK(render_text({"t", {{"empty", {"a"}, {}, {}}}}, {}) == "t\n");
}
