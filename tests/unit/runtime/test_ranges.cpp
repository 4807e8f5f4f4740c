#include <catch2/catch.hpp>

#include "runtime/ranges.h"

using dsops::runtime::Ranges;
using dsops::runtime::split;

TEST_CASE("a split covers all items once, in order, in whole blocks, as equal as can be") {
  const std::int64_t items = GENERATE(1, 63, 64, 65, 1000, 4096, 100'003);
  const std::int64_t block = GENERATE(1, 7, 64, 1024);
  const std::int64_t threads = GENERATE(1, 2, 3, 7, 64);
  const Ranges ranges = split(items, block, 1, threads);
  REQUIRE(ranges.count >= 1);
  REQUIRE(ranges.count <= threads);
  CHECK(ranges.begin(0) == 0);
  CHECK(ranges.begin(ranges.count) == items);
  std::int64_t least = items, most = 0;
  for (std::int64_t i = 0; i < ranges.count; ++i) {
    CHECK(ranges.begin(i) < ranges.begin(i + 1));
    CHECK(ranges.begin(i) % block == 0);
    const std::int64_t blocks = (ranges.begin(i + 1) - ranges.begin(i) + block - 1) / block;
    least = std::min(least, blocks);
    most = std::max(most, blocks);
  }
  CHECK(most - least <= 1);
}

TEST_CASE("a grain keeps ranges from being too small to pay for a thread") {
  CHECK(split(10'000, 10, 1000, 64).count == 10);
  CHECK(split(999, 10, 1000, 64).count == 1);
  CHECK(split(10'000, 10, 0, 64).count == 64);
}

TEST_CASE("no items make no ranges, and the most items that there can be do not overflow") {
  CHECK(split(0, 64, 1, 8).count == 0);
  constexpr std::int64_t kMost = INT64_MAX;
  const Ranges ranges = split(kMost, 1, 1, 1000);
  CHECK(ranges.begin(1000) == kMost);
  CHECK(ranges.begin(999) < kMost);
  CHECK(ranges.begin(999) > kMost / 1000 * 998);
}
