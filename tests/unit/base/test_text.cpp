#include "base/text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace dsbuild;

using Words = std::vector<std::string>;

TEST_CASE("a path lies in a folder by whole names", "[text]") {
  CHECK(lies_in("/a/b", "/a"));
  CHECK(lies_in("/a", "/a"));
  CHECK(lies_in("/a/b", "/a/"));
  CHECK(lies_in("/a", "/"));
  CHECK_FALSE(lies_in("/ab", "/a"));
  CHECK_FALSE(lies_in("/", "/a"));
}

TEST_CASE("split takes any of the separators and drops what is empty", "[text]") {
  CHECK(split("8.0;9.0, 10.0+PTX", ";, ") == Words{"8.0", "9.0", "10.0+PTX"});
  CHECK(split(" ;; , ", ";,").empty());
  CHECK(split("", ";").empty());
  CHECK(split("a", ";") == Words{"a"});
  CHECK(split("a;", ";") == Words{"a"});
  CHECK(split("a b ; c ", ";") == Words{"a b", "c"});
}

TEST_CASE("lines end with a line feed, with or without a carriage return", "[text]") {
  CHECK(split_lines("a\nb\r\n\nc") == Words{"a", "b", "", "c"});
  CHECK(split_lines("a\n") == Words{"a"});
  CHECK(split_lines("").empty());
}

TEST_CASE("trim and to_lower leave what is no ASCII alone", "[text]") {
  CHECK(trim(" \t\r\na b\v\f ") == "a b");
  CHECK(trim("  ").empty());
  CHECK(to_lower("ABz9Ä") == "abz9Ä");
}

TEST_CASE("replace_all replaces each once and never loops", "[text]") {
  CHECK(replace_all("a'b'", "'", "''") == "a''b''");
  CHECK(replace_all("aaa", "aa", "a") == "aa");
  CHECK(replace_all("abc", "", "x") == "abc");
  CHECK(replace_all("", "a", "b").empty());
}

TEST_CASE("nearest finds a typo, and nothing where nothing is near", "[text]") {
  const Words known{"cpu_adam", "fused_adam", "transformer"};
  CHECK(nearest("cpu_adm", known) == "cpu_adam");
  CHECK(nearest("CPU_ADAM", known) == "cpu_adam");
  CHECK(nearest("tranformers", known) == "transformer");
  CHECK(nearest("async_io", known).empty());
  CHECK(nearest("", known).empty());
  CHECK(nearest("x", {"y", "z"}).empty());  // another letter is no typo of it
  CHECK(nearest("", {"y"}).empty());
  CHECK(did_you_mean("cpu_adm", known) == "did you mean 'cpu_adam'?");
  CHECK(did_you_mean("xyz", {"a", "b"}) == "known: a, b");
  CHECK(did_you_mean("xyz", {}).empty());
}

TEST_CASE("runs of digits order as numbers", "[text]") {
  Words names{"gcc-12", "gcc-9", "gcc", "gcc-10.2", "gcc-10.10", "gcc-009", "gcd"};
  std::sort(names.begin(), names.end(), natural_less);
  CHECK(names == Words{"gcc", "gcc-009", "gcc-9", "gcc-10.2", "gcc-10.10", "gcc-12", "gcd"});
  CHECK(natural_less("a18446744073709551615", "a18446744073709551616"));  // larger than any int
}

TEST_CASE("the natural order is a strict weak order of random names", "[text]") {
  std::mt19937 random(11);
  const auto name = [&] {
    std::string text;
    for (unsigned n = random() % 6; n > 0; --n) text += "01a-9"[random() % 5];
    return text;
  };
  for (int i = 0; i < 20000; ++i) {
    const std::string a = name();
    const std::string b = name();
    const std::string c = name();
    INFO(a << " " << b << " " << c);
    REQUIRE_FALSE(natural_less(a, a));
    REQUIRE_FALSE((natural_less(a, b) && natural_less(b, a)));
    REQUIRE((a == b) == (!natural_less(a, b) && !natural_less(b, a)));
    if (natural_less(a, b) && natural_less(b, c)) REQUIRE(natural_less(a, c));
  }
}

TEST_CASE("words are quoted as a shell needs them", "[text]") {
  CHECK(shell_quote("-O2") == "-O2");
  CHECK(shell_quote("") == "''");
  CHECK(shell_quote("sp ace") == "'sp ace'");
  CHECK(shell_quote("q'uote") == "'q'\\''uote'");
  CHECK(shell_quote("do$lar") == "'do$lar'");
  CHECK(shell_quote("h#sh") == "'h#sh'");
  CHECK(shell_quote("ä") == "'ä'");
  CHECK(shell_join({"g++", "-DX=a b"}) == "g++ '-DX=a b'");
}

TEST_CASE("sizes and durations read as people write them", "[text]") {
  CHECK(format_size(0) == "0 B");
  CHECK(format_size(712) == "712 B");
  CHECK(format_size(999) == "999 B");
  CHECK(format_size(1000) == "1.0 kB");
  CHECK(format_size(34'100) == "34.1 kB");
  CHECK(format_size(999'499) == "999 kB");
  CHECK(format_size(999'500) == "1.0 MB");
  CHECK(format_size(1'700'000) == "1.7 MB");
  CHECK(format_size(5'000'000'000'000'000ULL) == "5000 TB");
  CHECK(format_duration(0) == "0.0 s");
  CHECK(format_duration(0.84) == "0.8 s");
  CHECK(format_duration(9.96) == "10 s");
  CHECK(format_duration(59.4) == "59 s");
  CHECK(format_duration(59.6) == "1:00");
  CHECK(format_duration(187) == "3:07");
  CHECK(count_of(1, "image") == "1 image");
  CHECK(count_of(0, "image") == "0 images");
}
