// The tables of keys in docs are the schemas and the table of placeholders, rendered. With
// UPDATE_GOLDEN=1 in the environment they are written instead of compared.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "manifest/placeholders.h"
#include "unit/manifest/sample.h"

using namespace dsbuild;
using namespace dsbuild::manifest;

namespace fs = std::filesystem;

namespace {

using Schema = nlohmann::ordered_json;  // rows in the order of the file

const fs::path kDocuments = fs::path(DSBUILD_SOURCE_DIR) / "docs";

std::string cell(std::string text) {
  return replace_all(std::move(text), "|", "\\|");
}

/// Rows of one schema's properties, a part that is used twice described once.
class FieldTable {
 public:
  explicit FieldTable(const Schema& schema) : schema_(schema) {
    text_ = "| key | what | |\n|---|---|---|\n";
    add_properties(schema, "");
  }
  const std::string& text() const { return text_; }

 private:
  const Schema& followed(const Schema& part) const {
    if (!part.contains("$ref")) return part;
    return schema_.at(Schema::json_pointer(part["$ref"].get<std::string>().substr(1)));
  }

  static std::string type_word(const Schema& type) {
    if (type == "string") return "text";
    if (type == "integer") return "number";
    if (type == "boolean") return "true or false";
    return type == "array" ? "list" : type.get<std::string>();
  }

  std::string type_of(const Schema& unfollowed) const {
    const Schema& part = followed(unfollowed);
    if (part.contains("title")) return part["title"];
    if (!part.contains("type")) return "number";  // the version of the format
    std::vector<std::string> words;
    for (const Schema& type : part["type"].is_array() ? part["type"] : Schema{part["type"]}) {
      std::string word = type_word(type);
      if (type == "array" && part.contains("items")) word += " of " + type_of(part["items"]);
      if (type == "object" && !part.contains("properties")) {
        word = "object: name to " + type_of(part["additionalProperties"]);
      }
      words.push_back(std::move(word));
    }
    return join(words, ", or ");
  }

  void add_properties(const Schema& object, const std::string& path) {
    const Schema required = object.value("required", Schema::array());
    for (const auto& [key, part] : object["properties"].items()) {
      if (key == "$schema" || key == "$comment") continue;
      const bool needed = std::find(required.begin(), required.end(), key) != required.end();
      const std::string at = path + key;
      const std::string earlier = described_as(part, at);
      std::string text = part.value("description", "");
      if (text.empty() && earlier.empty()) text = followed(part)["description"];
      if (!earlier.empty() && (text.empty() || followed(part).contains("properties"))) {
        text += (text.empty() ? "As `" : " As `") + earlier + "`.";
      }
      text_ += "| `" + at + "` | " + cell(text) + " | " + cell(type_of(part)) +
               (needed ? ", needed" : "") + " |\n";
      if (earlier.empty()) add_inner(part, at);
    }
  }

  /// The key that was described with the same part of the schema before; else `at` is from now on.
  /// A part with a name of its own is told by it, and needs none.
  std::string described_as(const Schema& part, const std::string& at) {
    if (!part.contains("$ref") || followed(part).contains("title")) return {};
    const auto [entry, is_new] = described_.emplace(part["$ref"].get<std::string>(), at);
    return is_new || entry->second == at ? "" : entry->second;
  }

  /// The properties of what an object, list or map holds.
  void add_inner(const Schema& unfollowed, const std::string& at) {
    if (!described_as(unfollowed, at).empty()) return;
    const Schema& part = followed(unfollowed);
    if (part.contains("title")) return;
    if (part.contains("properties")) add_properties(part, at + ".");
    if (part.contains("items")) add_inner(part["items"], at + "[]");
    if (part.contains("additionalProperties") && part["additionalProperties"].is_object()) {
      add_inner(part["additionalProperties"], at + ".*");
    }
  }

  const Schema& schema_;
  std::map<std::string, std::string> described_;
  std::string text_;
};

std::string field_table(const std::string& name) {
  return FieldTable(Schema::parse(dsbuild::test::read_text(fs::path(DSBUILD_SOURCE_DIR) /
                                                           "manifests/schema" / name)))
      .text();
}

std::string placeholder_table() {
  struct Place {
    unsigned bit;
    const char* name;
  };
  static constexpr Place kPlaces[] = {{kImageArgv, "`images`"},
                                      {kObjectArgv, "`object`"},
                                      {kForArch, "`for`"},
                                      {kLinkArgv, "`link`"},
                                      {kOutName, "`out`"},
                                      {kLinkFlags, "`link_flags`"},
                                      {kNeed, "`needs`"},
                                      {kExtensionArgv, "`extension`"},
                                      {kExtensionLink, "`extension.link`"},
                                      {kTranslationOut, "`extension.translation.out`"}};
  std::string text = "| placeholder | becomes | in |\n|---|---|---|\n";
  for (const PlaceholderRow& row : kPlaceholders) {
    std::vector<std::string> places;
    for (const Place& place : kPlaces) {
      if ((row.places & place.bit) != 0) places.emplace_back(place.name);
    }
    text += "| `{" + std::string(row.name) + "}` | " + cell(std::string(row.meaning)) +
            (row.list ? " (a list)" : "") + " | " + join(places, ", ") + " |\n";
  }
  return text;
}

/// The document with what stands between "<!-- NAME -->" and "<!-- end -->" replaced.
std::string with_table(const std::string& document, const std::string& name,
                       const std::string& table) {
  const std::string open = "<!-- " + name + " -->\n";
  const auto begin = document.find(open);
  INFO("the place of " << name);
  REQUIRE(begin != std::string::npos);
  const auto end = document.find("<!-- end -->", begin);
  REQUIRE(end != std::string::npos);
  return document.substr(0, begin + open.size()) + table + document.substr(end);
}

}  // namespace

/// Compares the document with what its tables must be, or writes them.
void check_tables(const fs::path& file, const std::map<std::string, std::string>& tables) {
  const std::string document = dsbuild::test::read_text(file);
  std::string wanted = document;
  for (const auto& [name, table] : tables) wanted = with_table(wanted, name, table);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    dsbuild::test::write_text(file, wanted);
  } else {
    INFO("run this test with UPDATE_GOLDEN=1 to write them");
    CHECK((document == wanted));
  }
}

TEST_CASE("docs/manifests.md has a row for every key and every placeholder", "[docs]") {
  check_tables(kDocuments / "manifests.md",
               {{"op.v1.json", field_table("op.v1.json")},
                {"accelerator.v1.json", field_table("accelerator.v1.json")},
                {"tree.v1.json", field_table("tree.v1.json")},
                {"placeholders", placeholder_table()}});
}

TEST_CASE("docs/report.md has a row for every key of a report", "[docs]") {
  check_tables(kDocuments / "report.md", {{"report.v1.json", field_table("report.v1.json")}});
}

TEST_CASE("the examples of docs/manifests.md are the fixtures that other tests build", "[docs]") {
  const std::string document = dsbuild::test::read_text(kDocuments / "manifests.md");
  const auto holds = [&](const char* path) {
    const std::string text =
        dsbuild::test::read_text(fs::path(DSBUILD_SOURCE_DIR) / "tests/fixtures" / path);
    INFO(path);
    REQUIRE_FALSE(text.empty());
    CHECK(document.find("```json\n" + text + "```\n") != std::string::npos);
  };
  holds("my_attn/my_attn.json");
  holds("torch_scale/torch_scale.json");
  holds("acme/manifests/accelerators/acme.json");
}
