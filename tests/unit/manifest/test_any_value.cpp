#include <catch2/catch.hpp>

#include <map>

#include "unit/manifest/sample.h"

using namespace dsbuild;
using namespace dsbuild::manifest::test;

TEST_CASE("any value in any place is told or taken, never a crash", "[any_value]") {
  SampleRoot root;
  const std::vector<std::string> values{"null", "-1",  "1.5", "true", "\"\"",      "\"x\"", "\"{\"",
                                        "[]",   "[1]", "{}",  "[[]]", "{\"\": 1}", "[null]"};
  const std::map<std::string, std::string_view> files{{"manifests/ops/my_op.json", kOp},
                                                      {"manifests/accelerators/host.json", kHost},
                                                      {"manifests/accelerators/gpu.json", kGpu},
                                                      {"manifests/accelerators/tile.json", kTile}};
  for (const auto& [path, text] : files) {
    const Json json = Json::parse(text);
    const Json leaves = json.flatten();
    std::size_t turn = 0;
    for (const auto& [pointer, value] : leaves.items()) {
      // Each leaf and what it lies in, with values taken in turn.
      Json::json_pointer at(pointer);
      for (int up = 0; up < 3 && !at.empty(); ++up, at.pop_back()) {
        Json changed = json;
        changed[at] = Json::parse(values[turn++ % values.size()]);
        root.write(path, changed.dump());
        INFO(path << " " << at.to_string() << " = " << changed[at].dump());
        REQUIRE_NOTHROW(root.told());
      }
    }
    root.write(path, text);
  }
  CHECK(root.told().empty());
}
