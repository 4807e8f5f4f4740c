#include "base/version.h"

#include <catch2/catch.hpp>

using namespace dsbuild;

namespace {

std::string number_of(std::string_view text) {
  const auto version = Version::parse(text);
  return version ? version->number() : "none";
}

bool in_range(std::string_view range, std::string_view version) {
  std::string error;
  const auto parsed = VersionRange::parse(range, &error);
  INFO(error);
  REQUIRE(parsed);
  return parsed->contains(*Version::parse(version));
}

}  // namespace

TEST_CASE("a version is the leading dotted number", "[version]") {
  CHECK(number_of("12.2.0-14+deb12u1") == "12.2.0");
  CHECK(number_of(" 13 ") == "13");
  CHECK(number_of("13.0.x") == "13.0");
  CHECK(number_of("6.3.3-74") == "6.3.3");
  CHECK(number_of("1..2") == "1");
  CHECK(number_of("1.") == "1");
  CHECK(number_of("v13") == "none");
  CHECK(number_of("") == "none");
  CHECK(number_of(".5") == "none");
  CHECK(number_of("-1.2") == "none");
  CHECK(number_of("-0.5") == "none");
  CHECK(number_of("+1") == "none");
  CHECK(number_of("99999999999999999999") == "none");
  CHECK(Version::parse("12.2.0-14")->text == "12.2.0-14");
}

TEST_CASE("versions compare as numbers, missing parts being 0", "[version]") {
  const auto v = [](const char* text) { return *Version::parse(text); };
  CHECK(v("12.10") > v("12.9"));
  CHECK(v("13") == v("13.0.0"));
  CHECK(v("13.0.1") > v("13"));
  CHECK(v("9") < v("10"));
  CHECK(v("1.2").major_part() == 1);
  CHECK(v("1.2").part(7) == 0);
}

TEST_CASE("a range keeps all its bounds", "[version]") {
  CHECK(in_range(">=12.3", "12.3"));
  CHECK(in_range(">=12.3", "12.10"));
  CHECK_FALSE(in_range(">=12.3", "12.2.9"));
  CHECK(in_range(">=12.3, <14", "13.9.9"));
  CHECK_FALSE(in_range(">=12.3, <14", "14.0"));
  CHECK(in_range(">= 2.0", "2"));
  CHECK_FALSE(in_range(">12", "12.0"));
  CHECK(in_range("<=12", "12.0"));
  CHECK(in_range("==12.2", "12.2.0"));
  CHECK_FALSE(in_range("==12.2", "12.2.1"));
  CHECK(in_range("!=12.2", "12.3"));
  CHECK_FALSE(in_range("!=12.2", "12.2"));
}

TEST_CASE("a wrong range says what is wrong and what to write", "[version]") {
  for (const char* text : {"", " ", "12.3", "=>12", "~=12", ">=", ">=x", ">=12.x", ">=12 <14",
                           ">=12,13", ">=-1", ">=012", ">=12."}) {
    INFO("'" << text << "'");
    std::string error;
    CHECK_FALSE(VersionRange::parse(text, &error));
    CHECK(error.find("write for example") != std::string::npos);
    CHECK_FALSE(VersionRange::parse(text));  // who doesn't want to know needn't
  }
}

TEST_CASE("a range remembers how it was written", "[version]") {
  CHECK(VersionRange::parse(" >=12.3,<14 ")->text() == ">=12.3,<14");
}
