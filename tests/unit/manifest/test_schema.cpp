#include "manifest/schema.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "unit/manifest/sample.h"

using namespace dsbuild;
using namespace dsbuild::manifest;
using namespace dsbuild::manifest::test;

namespace fs = std::filesystem;

namespace {

Json read_schema(const std::string& name) {
  return Json::parse(
      dsbuild::test::read_text(fs::path(DSBUILD_SOURCE_DIR) / "manifests/schema" / name));
}

/// Calls `look` for every part of a schema that says what an object holds.
void each_object(const Json& part, const std::string& at,
                 const std::function<void(const Json&, const std::string&)>& look) {
  if (part.is_object() && part.contains("properties")) look(part, at);
  if (!part.is_structured()) return;
  for (const auto& [key, value] : part.items()) each_object(value, at + "/" + key, look);
}

std::vector<std::string> told(const char* schema, const char* text) {
  Diagnostics diagnostics;
  const Document document{"f", Json::parse(text), &diagnostics, text};
  std::set<std::string> known_forms;
  Schema(schema, "schema.json").check(document, known_forms);
  std::vector<std::string> lines;
  for (const Diagnostic& d : diagnostics.all()) lines.push_back(render_diagnostic(d));
  return lines;
}

}  // namespace

TEST_CASE("a form is known by schema and text: only what was found right, and changed in neither",
          "[schema]") {
  const std::string schema = R"({"type": "object", "properties": {"a": {"type": "string"}}})";
  std::set<std::string> known;
  const auto problems = [&](const std::string& by, const std::string& text) {
    Diagnostics diagnostics;
    Schema(by, "schema.json").check({"f", Json::parse(text), &diagnostics, text}, known);
    return diagnostics.all().size();
  };
  CHECK(problems(schema, R"({"a": 1})") == 1);
  CHECK(known.empty());
  CHECK(problems(schema, R"({"a": "b"})") == 0);
  CHECK(known.size() == 1);
  CHECK(problems(schema, R"({"a": 2})") == 1);
  CHECK(problems(R"({"type": "object", "properties": {"a": {"type": "integer"}}})",
                 R"({"a": "b"})") == 1);
  CHECK(known.size() == 1);
  // A known one isn't looked at: not even a schema that is none is read.
  CHECK(problems(schema, R"({"a": "b"})") == 0);
  CHECK_THROWS_AS(problems("no JSON", "{}"), Error);
}

TEST_CASE("the published schemas describe every property and allow comments everywhere",
          "[schema]") {
  for (const char* name : {"op.v1.json", "accelerator.v1.json"}) {
    const Json schema = read_schema(name);
    each_object(schema, name, [&](const Json& object, const std::string& at) {
      INFO(at);
      CHECK(object["properties"].contains("$comment"));
      for (const auto& [key, part] : object["properties"].items()) {
        INFO(key);
        const Json* described = &part;
        if (!part.contains("description")) {
          REQUIRE(part.contains("$ref"));
          described = &schema.at(Json::json_pointer(part["$ref"].get<std::string>().substr(1)));
        }
        CHECK_FALSE((*described)["description"].get<std::string>().empty());
      }
    });
  }
}

TEST_CASE("an error is told once, at its leaf", "[schema]") {
  const char* schema = R"({"type": "object", "properties": {"a": {"type": "array", "items":
      {"type": "object", "properties": {"b": {"type": "string", "description": "A b. More."}}}}}})";
  CHECK(told(schema, R"({"a": [{"b": "x"}, {"b": 3}, {"b": [1]}]})") ==
        std::vector<std::string>{"f: /a/1/b: text is needed here, not a whole number; b: A b",
                                 "f: /a/2/b: text is needed here, not a list; b: A b"});
}

TEST_CASE("every unknown key of an object is told, with odd characters in its pointer",
          "[schema]") {
  const char* schema =
      R"({"type": "object", "additionalProperties": false, "properties": {"a": {}, "$c": {}}})";
  CHECK(told(schema, R"({"x/y": 1, "[z]": 2, "a": 3})") ==
        std::vector<std::string>{"f: /[z]: the key '[z]' is not known here; known: a",
                                 "f: /x~1y: the key 'x/y' is not known here; known: a"});
}

TEST_CASE("a wrong type hides what else a schema says of the value", "[schema]") {
  CHECK(told(R"({"properties": {"k": {"type": "string", "enum": ["a"], "minLength": 1}}})",
             R"({"k": 3})") ==
        std::vector<std::string>{"f: /k: text is needed here, not a whole number"});
}

TEST_CASE("a keyword that has no sentence of ours is passed on", "[schema]") {
  CHECK(
      told(R"({"properties": {"k": {"maxItems": 1, "description": "Few"}}})", R"({"k": [1, 2]})") ==
      std::vector<std::string>{"f: /k: Array should contain no more than 1 elements.; k: Few"});
}

TEST_CASE("a schema checks many documents", "[schema]") {
  Schema schema(R"({"required": ["a"]})", "schema.json");
  std::set<std::string> known;
  Diagnostics diagnostics;
  const Document good{"good", Json::parse(R"({"a": 1})"), &diagnostics, R"({"a": 1})"};
  const Document bad{"bad", Json::parse("{}"), &diagnostics, "{}"};
  schema.check(good, known);
  schema.check(bad, known);
  schema.check(good, known);
  schema.check(bad, known);
  CHECK(diagnostics.all().size() == 2);
}

TEST_CASE("the keys of needs that are no accelerators are those of the schema", "[schema]") {
  SampleRoot root;
  Json op = Json::parse(kOp);
  op["needs"]["zzzzzzzzzz"] = ">=1";
  root.write("manifests/ops/my_op.json", op.dump());
  std::string known;
  const Json needs = read_schema("op.v1.json")["definitions"]["needs"];
  for (const auto& [key, part] : needs["properties"].items()) {
    if (!key.starts_with('$')) known += key + ", ";
  }
  const auto told = root.told();
  REQUIRE(told.size() == 1);
  INFO(told[0]);
  CHECK(told[0].ends_with("; known: " + known + "gpu, host, tile"));
}
