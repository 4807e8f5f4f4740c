#include <catch2/catch.hpp>

#include "runtime/overlap.h"

using namespace dsops::runtime;

namespace {

struct Case {
  const char* claim;
  std::vector<Span> spans;
  bool exists;
  std::size_t first = 0, second = 0;
};

const Case kCases[] = {
    {"nothing", {}, false},
    {"neighbours share no byte", {{0, 10, true, false, 0}, {10, 20, true, false, 1}}, false},
    {"two that are read may be the same",
     {{0, 10, false, false, 0}, {0, 10, false, false, 1}},
     false},
    {"two that are read may overlap", {{0, 10, false, false, 0}, {5, 15, false, false, 1}}, false},
    {"written and read overlap in part",
     {{0, 10, true, false, 0}, {9, 15, false, false, 1}},
     true,
     0,
     1},
    {"order does not matter", {{9, 15, false, false, 0}, {0, 10, true, false, 1}}, true, 0, 1},
    {"written and read are the same",
     {{0, 10, true, false, 0}, {0, 10, false, false, 1}},
     true,
     0,
     1},
    {"the same, where it is allowed", {{0, 10, true, true, 0}, {0, 10, false, false, 1}}, false},
    {"allowed is only the very same",
     {{0, 10, true, true, 0}, {0, 9, false, false, 1}},
     true,
     0,
     1},
    {"two that are written are never the same",
     {{0, 10, true, true, 0}, {0, 10, true, true, 1}},
     true,
     0,
     1},
    {"one inside another", {{0, 100, false, false, 0}, {40, 50, true, false, 1}}, true, 0, 1},
    {"an allowed pair hides no other one",
     {{40, 60, false, false, 0}, {50, 100, false, false, 1}, {50, 100, true, true, 2}},
     true,
     0,
     2},
    {"a long one before is not forgotten",
     {{0, 1000, true, false, 0}, {2000, 2010, false, false, 1}, {990, 995, false, false, 2}},
     true,
     0,
     2},
};

}  // namespace

TEST_CASE("memory that is written overlaps no other, but where it is allowed to be the same") {
  for (const Case& row : kCases) {
    INFO(row.claim);
    std::vector<Span> spans = row.spans;
    const Overlap found = find_overlap(spans);
    CHECK(found.exists == row.exists);
    if (!found.exists) continue;
    CHECK(found.first == row.first);
    CHECK(found.second == row.second);
  }
}
