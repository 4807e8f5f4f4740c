#include "base/pattern.h"

#include <catch2/catch.hpp>

#include <stdexcept>

namespace dsbuild {

TEST_CASE("a pattern gives the first group of its first match", "[pattern]") {
  const Pattern version("version ([0-9]+(\\.[0-9]+)*)");
  CHECK(version.find("clang version 14.0.6, version 2") == "14.0.6");
  CHECK(version.find("clang") == std::nullopt);
  CHECK(Pattern("a(b)?c").find("xac") == "");
  CHECK(Pattern("abc").find("xabcx") == "");
  CHECK(Pattern("^(sm_\\d+)\\s*$").find("sm_90  ") == "sm_90");
}

TEST_CASE("a pattern says whether it has a group, and what is wrong with it", "[pattern]") {
  CHECK(Pattern("(a)").has_group());
  CHECK_FALSE(Pattern("[a](?:b)").has_group());
  CHECK_THROWS_WITH(Pattern("(["), "missing terminating ] for character class at offset 2");
}

TEST_CASE("no text and no pattern keeps it for ever, or overflows the stack", "[pattern]") {
  CHECK(Pattern("^(a+)+$").find(std::string(200, 'a') + "b") == std::nullopt);
  CHECK(Pattern("(.*)x").find(std::string(1 << 20, 'y')) == std::nullopt);
  CHECK(Pattern("^(\\w|-)+$").find(std::string(1 << 16, 'z')).has_value());
  CHECK(Pattern("(b)").find(std::string("\xff\0\xfe b", 5)) == "b");
}

TEST_CASE("all matches of a pattern, each text once, in the order of their first places",
          "[pattern]") {
  const Pattern pattern("\\bN(_[0-9]+)+\\b");
  CHECK(pattern.find_all("N_2 xN_1 N_10_2, N_2 N_ N_1") ==
        std::vector<std::string>{"N_2", "N_10_2", "N_1"});
  CHECK(pattern.find_all("").empty());
  CHECK(Pattern("x*").find_all("axx") == std::vector<std::string>{"", "xx"});
}

}  // namespace dsbuild
