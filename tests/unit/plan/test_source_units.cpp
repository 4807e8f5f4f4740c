#include <catch2/catch.hpp>

#include "plan/source_units.h"

namespace dsbuild::plan {
namespace {

using Texts = std::vector<std::string>;

manifest::ExtensionPart make_part(bool unity) {
  manifest::ExtensionPart part;
  part.unity = unity;
  part.binding = {"/t/bind.cpp"};
  part.sources = {"/t/a.cu", "/t/b.cpp", "/t/c.cu", "/t/d.c"};
  return part;
}

/// "a.cu c.cu": the sources of each unit, those with the binding marked.
Texts units_of(const manifest::ExtensionPart& part, bool together) {
  const auto compiler = [](const std::filesystem::path& source) {
    return source.extension() == ".cu" ? std::string("device") : std::string("host");
  };
  Texts texts;
  for (const SourceUnit& unit : source_units(part, together, compiler)) {
    std::string text = unit.binding ? "!" : "";
    for (const auto& source : unit.sources) text += source.filename().string() + " ";
    texts.push_back(text);
  }
  return texts;
}

TEST_CASE("a unit has the sources of one compiler and one language", "[source_units]") {
  CHECK(units_of(make_part(true), true) == Texts{"!bind.cpp b.cpp ", "a.cu c.cu ", "d.c "});
}

TEST_CASE("sources are for themselves where the part says nothing, and where it is asked for",
          "[source_units]") {
  const Texts apart{"!bind.cpp ", "a.cu ", "b.cpp ", "c.cu ", "d.c "};
  CHECK(units_of(make_part(false), true) == apart);
  CHECK(units_of(make_part(true), false) == apart);
}

}  // namespace
}  // namespace dsbuild::plan
