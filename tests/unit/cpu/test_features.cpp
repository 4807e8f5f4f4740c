#include <catch2/catch.hpp>
#include <set>

#include "cpu/cpu.h"

using namespace dsbuild::cpu;

TEST_CASE("feature names are unique within an instruction set, and no two rows read one bit") {
  std::set<std::pair<Isa, std::string_view>> names;
  std::set<std::tuple<Isa, std::uint32_t, std::uint32_t, Feature::Where, int>> bits;
  for (const Feature& f : features()) {
    CHECK(names.insert({f.isa, f.name}).second);
    CHECK(bits.insert({f.isa, f.leaf, f.subleaf, f.where, f.bit}).second);
  }
}

TEST_CASE("each level needs all that the level below it needs, and more") {
  const Level* below = nullptr;
  for (const Level& level : levels()) {
    if (below != nullptr && below->isa == level.isa) {
      CHECK((below->needs & ~level.needs) == 0);
      CHECK(below->needs != level.needs);
    }
    below = &level;
  }
}

TEST_CASE("levels hold the features of the x86-64 psABI") {
  const auto adds = [](const char* level, const char* below) {
    return render_features(find_level(level)->needs & ~find_level(below)->needs);
  };
  CHECK(render_features(find_level("x86-64-v1")->needs) == "fpu cx8 cmov mmx fxsr sse sse2");
  CHECK(adds("x86-64-v2", "x86-64-v1") == "sse3 ssse3 cx16 sse4_1 sse4_2 popcnt lahf_sahf");
  CHECK(adds("x86-64-v3", "x86-64-v2") == "fma movbe avx f16c bmi1 avx2 bmi2 lzcnt");
  CHECK(adds("x86-64-v4", "x86-64-v3") == "avx512f avx512dq avx512cd avx512bw avx512vl");
  CHECK(find_level("x86-64-v5") == nullptr);
  CHECK(find_level("v3") == nullptr);
}

TEST_CASE("a set of features survives being written and read") {
  const FeatureSet v4 = find_level("x86-64-v4")->needs;
  const ParsedFeatures read = parse_features(Isa::x86_64, render_features(v4));
  CHECK(read.set == v4);
  CHECK(read.unknown.empty());
}

TEST_CASE("feature names that no feature has are returned, and blanks are not names") {
  const ParsedFeatures read = parse_features(Isa::x86_64, "  avx2\tavx1024 \n fma quantum ");
  CHECK(render_features(read.set) == "fma avx2");
  CHECK(read.unknown == std::vector<std::string_view>{"avx1024", "quantum"});
  CHECK(parse_features(Isa::x86_64, " \n").set == 0);
  CHECK(parse_features(Isa::aarch64, "avx2").unknown.size() == 1);
}
