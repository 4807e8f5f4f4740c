#include <catch2/catch.hpp>

#include "base/error.h"
#include "ninja/writer.h"

namespace dsbuild::ninja {
namespace {

TEST_CASE("paths escape what ends a path, values what begins a variable", "[writer]") {
  CHECK(escape_path("/plain/path-1.o") == "/plain/path-1.o");
  CHECK(escape_path("sp ace") == "sp$ ace");
  CHECK(escape_path("c:d") == "c$:d");
  CHECK(escape_path("do$lar") == "do$$lar");
  CHECK(escape_path("a|b") == "a${bar}b");
  CHECK(escape_path("q'uote#\xc3\xbc") == "q'uote#\xc3\xbc");
  CHECK(escape_value("a b:c|d") == "a b:c|d");
  CHECK(escape_value("do$lar") == "do$$lar");
  CHECK(escape_value("  two") == "$  two");
  CHECK(escape_value("").empty());
}

TEST_CASE("K09: a line break can't be written and is an error that shows the path", "[writer]") {
  for (const char* path : {"a\nb", "a\rb", "\n"}) {
    try {
      escape_path(path);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.code == ExitCode::bad_input);
      CHECK(error.where == path);
    }
    CHECK_THROWS_AS(escape_value(path), Error);
    CHECK_THROWS_AS(Writer().comment(path), Error);
  }
  CHECK_THROWS_AS(escape_path(std::string_view("a\0b", 3)), Error);
}

TEST_CASE("statements are written as the manual shows them, empty variables left out", "[writer]") {
  Writer writer;
  const std::string start = writer.text();
  writer.comment("about");
  writer.rule("cc", {{"command", "./step $file"}, {"deps", "gcc"}});
  writer.build({"a b.o", "c.o"}, "cc", {"/x/1.c", "2.c"}, {{"file", "f$"}, {"dep", ""}});
  writer.build({"z"}, "cc", {}, {});
  CHECK(writer.text() == start +
                             "# about\n"
                             "rule cc\n"
                             "  command = ./step $file\n"
                             "  deps = gcc\n"
                             "build a$ b.o c.o: cc /x/1.c 2.c\n"
                             "  file = f$$\n"
                             "build z: cc\n");
}

}  // namespace
}  // namespace dsbuild::ninja
