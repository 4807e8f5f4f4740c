#include <catch2/catch.hpp>

#include "base/files.h"
#include "base/json.h"
#include "bundle/bundle.h"

namespace dsbuild::bundle {
namespace {

BundleIndex sample() {
  BundleIndex index;
  index.dsbuild_version = "0.1.0";
  index.commit = "0123abcd";
  index.dirty = true;
  index.triple = "x86_64-linux-gnu";
  index.host_bound = true;
  index.host_features = {"avx2", "fma"};
  BundleFile image;
  image.path = "images/a/cuda/sm_90.cubin";
  image.sha256 = std::string(64, 'a');
  image.size = 12;
  image.op = "a";
  image.accelerator = "cuda";
  image.arch = "sm_90";
  image.form = "cubin";
  image.variant = "HEAD_DIM-64";
  image.kernels = {"scale"};
  image.needs = {{"driver", ">=13.0"}};
  BundleFile library;
  library.path = "lib/x86_64-linux-gnu/cuda/b.so";
  library.sha256 = std::string(64, 'b');
  library.archs = {"sm_80", "sm_90+ptx"};
  index.files = {image, library};
  index.gaps = {{"a", "rocm", "", "toolchain_absent", "no clang", "apt-get install clang-19"}};
  return index;
}

TEST_CASE("an index comes back from its text as it was", "[index]") {
  Diagnostics diagnostics;
  const auto index = parse_index(dump_json(to_json(sample())), "bundle.json", diagnostics);
  CHECK(diagnostics.all().empty());
  REQUIRE(index);
  CHECK(*index == sample());

  BundleIndex plain;
  plain.dsbuild_version = "0.1.0";
  plain.triple = "aarch64-linux-gnu";
  CHECK(*parse_index(dump_json(to_json(plain)), "bundle.json", diagnostics) == plain);
}

TEST_CASE("O07: without git the index names no commit and no dirty flag", "[index]") {
  BundleIndex index = sample();
  index.commit.clear();
  index.dirty = true;
  const std::string text = dump_json(to_json(index));
  CHECK(text.find("commit") == std::string::npos);
  CHECK(text.find("dirty") == std::string::npos);
}

TEST_CASE("keys of later versions are left alone", "[index]") {
  Json json = to_json(sample());
  json["signature"] = "x";
  json["files"][0]["licence"] = "MIT";
  Diagnostics diagnostics;
  CHECK(parse_index(dump_json(json), "bundle.json", diagnostics));
}

/// Keys of `value` that `schema` does not describe, and keys it requires that are not there.
void compare_keys(const Json& value, const Json& schema, const std::string& pointer,
                  std::vector<std::string>& problems) {
  if (value.is_array() && schema.contains("items")) {
    for (const Json& item : value) compare_keys(item, schema["items"], pointer + "/*", problems);
  }
  if (!value.is_object() || !schema.contains("properties")) return;
  for (const auto& [key, member] : value.items()) {
    if (!schema["properties"].contains(key)) {
      problems.push_back(pointer + "/" + key + " is not described");
    } else {
      compare_keys(member, schema["properties"][key], pointer + "/" + key, problems);
    }
  }
  for (const Json& key : schema.value("required", Json::array())) {
    if (!value.contains(key)) problems.push_back(pointer + "/" + std::string(key) + " is missing");
  }
}

TEST_CASE("the published schema describes every key of an index", "[index]") {
  const auto text = read_file(DSBUILD_SOURCE_DIR "/manifests/schema/bundle.v1.json");
  REQUIRE(text);
  const Json schema = Json::parse(*text);
  std::vector<std::string> problems;
  compare_keys(to_json(sample()), schema, "", problems);
  compare_keys(to_json(BundleIndex{}), schema, "", problems);
  CHECK(problems == std::vector<std::string>{});
  // And no other: what the schema has must be there in a full index.
  const Json full = to_json(sample());
  for (const auto& [key, described] : schema["properties"].items()) CHECK(full.contains(key));
  for (const auto& [key, described] :
       schema["properties"]["files"]["items"]["properties"].items()) {
    INFO(key);
    CHECK((full["files"][0].contains(key) || full["files"][1].contains(key)));
  }
}

TEST_CASE("every mistake of an index is told at its place", "[index]") {
  struct Row {
    const char* pointer;  // of what is changed
    Json value;           // null: removed
    const char* where;
  };
  const auto rows = std::to_array<Row>({
      {"/schema", 2, "/schema"},
      {"/schema", nullptr, "/schema"},
      {"/triple", 7, "/triple"},
      {"/files", Json::object(), "/files"},
      {"/files/0", "x", "/files"},
      {"/files/0/path", nullptr, "/files/0/path"},
      {"/files/1/sha256", 1, "/files/1/sha256"},
      {"/files/0/size", -1, "/files/0/size"},
      {"/files/0/size", "12", "/files/0/size"},
      {"/files/0/kernels", Json::array({1}), "/files/0/kernels"},
      {"/files/0/needs", Json({{"driver", 13}}), "/files/0/needs"},
      {"/files/0/path", "/etc/passwd", "/files/0/path"},
      {"/files/0/path", "../x", "/files/0/path"},
      {"/files/0/path", "a/../../x", "/files/0/path"},
      {"/files/0/path", "./x", "/files/0/path"},
      {"/files/0/path", "a//b", "/files/0/path"},
      {"/files/0/path", "", "/files/0/path"},
      {"/files/0/path", "lib/x86_64-linux-gnu/cuda/b.so", "/files"},
      {"/gaps", nullptr, "/gaps"},
      {"/gaps/0/text", 1, "/gaps/0/text"},
      {"/source/dirty", "yes", "/source/dirty"},
  });
  for (const Row& row : rows) {
    Json json = to_json(sample());
    const Json::json_pointer pointer(row.pointer);
    if (row.value.is_null()) {
      json.at(pointer.parent_pointer()).erase(pointer.back());
    } else {
      json[pointer] = row.value;
    }
    INFO(row.pointer << " = " << row.value.dump());
    Diagnostics diagnostics;
    CHECK_FALSE(parse_index(dump_json(json), "b/bundle.json", diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all().front().file == "b/bundle.json");
    CHECK(diagnostics.all().front().where == row.where);
  }
}

TEST_CASE("what is no JSON, or no object, is told", "[index]") {
  for (const char* text : {"", "{", "[]", "7", "{\"schema\": 1, \"schema\": 1}"}) {
    Diagnostics diagnostics;
    INFO(text);
    CHECK_FALSE(parse_index(text, "bundle.json", diagnostics));
    CHECK(diagnostics.has_errors());
  }
}

}  // namespace
}  // namespace dsbuild::bundle
