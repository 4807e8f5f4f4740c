// Names that say nothing are hidden and shown again; what looks like one but isn't stays.
#include <catch2/catch.hpp>

#include "run/part_names.h"

namespace dsbuild::run {
namespace {

PartNames names(const std::string& folder, const std::string& list) {
  PartNames made(folder + "/a.o",
                 {"-o", folder + "/a.o.80.ptx", "a.o.80.c", folder + "/b.o.80.ptx"});
  made.add_identifiers({"LIB_1_" + list, "OTHER_" + list});
  return made;
}

TEST_CASE("two texts that differ in names alone are equal when these are hidden", "[part_names]") {
  const PartNames two = names("obj/x", "800_900");
  const PartNames three = names("obj/longer", "800_900_1200");
  const std::string text =
      "#include \"a.o.80.c\" // obj/x/a.o.80.ptx\n"
      "namespace LIB_1_800_900 { using OTHER_800_900::f; }\n"
      "_ZN3lib13LIB_1_800_9006detailE\n";
  const auto hidden = two.hide(text);
  REQUIRE(hidden);
  CHECK_FALSE(two.names_file(*hidden));
  CHECK_FALSE(two.holds_identifier(*hidden));
  CHECK(two.show(*hidden) == text);
  const std::string expected =
      "#include \"a.o.80.c\" // obj/longer/a.o.80.ptx\n"
      "namespace LIB_1_800_900_1200 { using OTHER_800_900_1200::f; }\n"
      "_ZN3lib18LIB_1_800_900_12006detailE\n";
  CHECK(three.show(*hidden) == expected);
  CHECK(three.hide(expected) == hidden);
}

TEST_CASE("what can't be shown for others is seen", "[part_names]") {
  const PartNames two = names("obj/x", "800_900");
  // A file that no word names.
  CHECK(two.names_file(*two.hide("a.o.90.c")));
  CHECK_FALSE(two.names_file(*two.hide("obj/x/b.o.80.ptx")));
  // Part of a longer identifier, with another length before it, or with none.
  for (const char* text :
       {"MY_LIB_1_800_900", "LIB_1_800_900_NS", "_Z12LIB_1_800_900", "x3LIB_1_800_900"}) {
    INFO(text);
    const auto hidden = two.hide(text);
    CHECK(hidden == std::string(text));
    CHECK(two.holds_identifier(*hidden));
  }
  for (const char* text :
       {"\n.b8 76\n.b8 73\n.b8 66\n.b8 95\n.b8 49\n.b8 95\n.b8 56\n.b8 48\n.b8 48"
        "\n.b8 95\n.b8 57\n.b8 48\n.b8 48\n",
        "{1, 76,76,73,66, 95,49,95,56,48,48,95,57,48,48, 0}"}) {
    INFO(text);
    CHECK(two.holds_identifier(text));
  }
  CHECK_FALSE(two.holds_identifier("{76,73,66,95,49,95,56,48,48,95,57,48,49}"));
  CHECK_FALSE(two.hide("a mark: \x01"));
}

TEST_CASE("a text without names stays as it is", "[part_names]") {
  const PartNames none("obj/x/a.o", {});
  for (const char* text : {"", "a.o", ";;", "_ZN3lib6detailE"}) {
    CHECK(none.hide(text) == std::string(text));
    CHECK(none.show(text) == text);
  }
}

}  // namespace
}  // namespace dsbuild::run
