#include "base/json.h"

#include <catch2/catch.hpp>

using namespace dsbuild;

namespace {

/// The problems of a text, a line each; the text must then give no value.
std::vector<std::string> problems(std::string_view text) {
  Diagnostics diagnostics;
  const auto value = parse_json(text, "f", diagnostics);
  CHECK(value.has_value() == diagnostics.all().empty());
  std::vector<std::string> lines;
  for (const Diagnostic& d : diagnostics.all()) lines.push_back(render_diagnostic(d));
  return lines;
}

std::string place_of(std::string_view text) {
  const auto lines = problems(text);
  REQUIRE(lines.size() == 1);
  const std::string rest = lines[0].substr(lines[0].find(": ") + 2);
  return rest.substr(0, rest.find(": "));
}

}  // namespace

TEST_CASE("what is no JSON is told at its line and column", "[json]") {
  CHECK(place_of("{\n  \"a\": oops\n}") == "2:8");
  CHECK(place_of("{\"a\": 1,}") == "1:9");
  CHECK(place_of("{\"a\": 1}\nx") == "2:1");
  CHECK(place_of("[1, 2") == "1:6");
  CHECK(place_of("") == "1:1");
  CHECK(place_of("{\"a\": \"\xff\"}") == "1:8");
  CHECK(problems("[1 2]")[0].starts_with("f: 1:4: not JSON: "));
}

TEST_CASE("a number that no double holds is told, not thrown", "[json]") {
  CHECK(place_of("{\n \"a\": [1e999]}") == "2:8");
  CHECK(problems("[1e999]")[0] == "f: 1:2: not JSON: number overflow parsing '1e999'");
}

TEST_CASE("nesting that would exhaust the stack is told", "[json]") {
  CHECK(place_of(std::string(200'000, '[')) == "1:101");
  CHECK(place_of(std::string(101, '[') + std::string(101, ']')) == "1:101");
  CHECK(problems(std::string(100, '[') + std::string(100, ']')).empty());
  CHECK(problems("\"" + std::string(200, '[') + "\"").empty());  // text, not structure
}

TEST_CASE("every duplicate key is told at its pointer", "[json]") {
  const std::string rest = ": the key stands here twice; keep one of them";
  CHECK(problems(R"({"a": 1, "a": 2})") == std::vector<std::string>{"f: /a" + rest});
  CHECK(problems(R"({"a": [{}, {"x/y": {"b": 1, "c": 2, "b": 3}}], "d": 1, "d": {}})") ==
        std::vector<std::string>{"f: /a/1/x~1y/b" + rest, "f: /d" + rest});
  CHECK(problems(R"([[1], {"a": 1}, {"a": 1, "a": 1}])") ==
        std::vector<std::string>{"f: /2/a" + rest});
}

TEST_CASE("keys are told apart from colons in texts", "[json]") {
  CHECK(problems(R"({"a:b": "c:d", "e\"": "\\", "f": [":", {"a:b": 1}], "g": {}})").empty());
  CHECK(problems(R"({"\u0061": 1, "a": 2})").size() == 1);  // the same key, written otherwise
}

TEST_CASE("equal values dump to equal bytes, whatever the order they were written in", "[json]") {
  Diagnostics diagnostics;
  const auto a = parse_json(R"({"b": [1, {}], "a": "x"})", "f", diagnostics);
  const auto b = parse_json(R"({"a": "x", "b": [1, {}]})", "f", diagnostics);
  CHECK(dump_json(*a) == dump_json(*b));
  CHECK(dump_json(*a) == "{\n  \"a\": \"x\",\n  \"b\": [\n    1,\n    {}\n  ]\n}\n");
}

TEST_CASE("bytes that are no UTF-8 don't stop a dump", "[json]") {
  CHECK(dump_json(Json("a\xff")) == "\"a\xEF\xBF\xBD\"\n");
}

TEST_CASE("a token of a pointer is escaped as RFC 6901 says", "[json]") {
  CHECK(json_pointer_token("a/b~c") == "a~1b~0c");
  CHECK(json_pointer_token("") == "");
}
