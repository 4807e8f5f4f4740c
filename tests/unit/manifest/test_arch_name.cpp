#include "manifest/arch_name.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "unit/manifest/sample.h"

using namespace dsbuild::manifest;
using dsbuild::manifest::test::kGpu;
using dsbuild::manifest::test::kHost;
using dsbuild::manifest::test::kTile;
using dsbuild::manifest::test::read_sample;

namespace {

struct Spelling {
  std::string text;
  std::string name;  ///< empty: no arch
  std::vector<int> number = {};
  std::string suffix = {};
  bool portable = false;
};

void check_spellings(const Accelerator& accelerator, const std::vector<Spelling>& rows) {
  for (const Spelling& row : rows) {
    INFO("spelling '" << row.text << "'");
    const auto arch = parse_arch_name(accelerator, row.text, "x86_64");
    CHECK((arch ? arch->name : "") == row.name);
    if (!arch || row.name.empty()) continue;
    CHECK(arch->number == row.number);
    CHECK(arch->suffix == row.suffix);
    CHECK(arch->portable == row.portable);
  }
}

ArchFilter list_of(std::vector<std::string> archs) {
  return {ArchFilter::Kind::list, std::move(archs)};
}
ArchFilter from(std::string arch) {
  return {ArchFilter::Kind::at_least, {std::move(arch)}};
}

/// What a filter makes of a request, by name; empty when it doesn't take it.
std::string applied(const Accelerator& accelerator, const ArchFilter& filter,
                    const std::string& requested, const std::string& machine = "x86_64") {
  const auto arch = parse_arch_name(accelerator, requested, machine);
  REQUIRE(arch);
  const auto taken = apply_filter(accelerator, filter, *arch, machine);
  return taken ? taken->name : "";
}

}  // namespace

TEST_CASE("every spelling of a capability gives one canonical name", "[arch_name]") {
  check_spellings(read_sample(kGpu), {
                                         {"9.0", "sm_90", {9, 0}},
                                         {"90", "sm_90", {9, 0}},
                                         {"sm_90", "sm_90", {9, 0}},
                                         {"SM_90", "sm_90", {9, 0}},
                                         {"9.0a", "sm_90a", {9, 0}, "a"},
                                         {"90a", "sm_90a", {9, 0}, "a"},
                                         {"sm_90a", "sm_90a", {9, 0}, "a"},
                                         {"10.0f", "sm_100f", {10, 0}, "f"},
                                         {"compute_90", "sm_90", {9, 0}, "", true},
                                         {"9.0+PTX", "sm_90", {9, 0}, "", true},
                                         {"sm_90+ptx", "sm_90", {9, 0}, "", true},
                                         {"9.0a+PTX", "sm_90a", {9, 0}, "a", true},
                                         {"80-real", "sm_80", {8, 0}},
                                         {"80-virtual", "sm_80", {8, 0}, "", true},
                                     });
}

TEST_CASE("B03: a major of two digits is a number", "[arch_name]") {
  check_spellings(read_sample(kGpu), {
                                         {"10.0", "sm_100", {10, 0}},
                                         {"10.3", "sm_103", {10, 3}},
                                         {"11.0", "sm_110", {11, 0}},
                                         {"12.0", "sm_120", {12, 0}},
                                         {"12.1", "sm_121", {12, 1}},
                                         {"121", "sm_121", {12, 1}},
                                         {"sm_121", "sm_121", {12, 1}},
                                     });
}

TEST_CASE("B04: a suffix that the descriptor doesn't name is no arch", "[arch_name]") {
  check_spellings(read_sample(kGpu),
                  {{"9.0z", ""}, {"sm_90z", ""}, {"9.0aa", ""}, {"9.0 a", ""}, {"a", ""}});
}

TEST_CASE("what is no capability is refused", "[arch_name]") {
  check_spellings(
      read_sample(kGpu),
      {{"", ""},          {"8", ""},      {"8.", ""},      {".8", ""},     {"8.0.0", ""},
       {"9.10", ""},      {"0.9", ""},    {"08.0", ""},    {"sm_", ""},    {"sm_9", ""},
       {"sm_9.0", ""},    {"sm90", ""},   {"-9.0", ""},    {"+PTX", ""},   {"Ampere", ""},
       {"9,0", ""},       {"gfx90a", ""}, {"99999.0", ""}, {"9.0+", ""},   {"9.0+PTX+PTX", ""},
       {"9.0-real+", ""}, {"native", ""}, {"all", ""},     {"sm_90\n", ""}});
}

TEST_CASE("a number without prefix is an arch only where bare is set", "[arch_name]") {
  Accelerator gpu = read_sample(kGpu);
  gpu.archs.bare = false;
  check_spellings(gpu, {{"9.0", ""}, {"90a", ""}, {"sm_90a", "sm_90a", {9, 0}, "a"}});
  gpu.portable_form.clear();  // then nothing asks for it, and the second prefix is only a spelling
  check_spellings(gpu, {{"compute_90", "sm_90", {9, 0}}, {"sm_90+PTX", ""}, {"sm_90-real", ""}});
}

TEST_CASE("targets are taken apart by the vendor's rule, features in canonical order",
          "[arch_name]") {
  check_spellings(
      read_sample(kTile),
      {
          {"gfx90a", "gfx90a", {9, 0, 10}},
          {"gfx942", "gfx942", {9, 4, 2}},
          {"gfx1030", "gfx1030", {10, 3, 0}},
          {"gfx1100", "gfx1100", {11, 0, 0}},
          {"gfx11-generic", "gfx11-generic", {11}, "-generic"},
          {"gfx9-4-generic", "gfx9-4-generic", {9, 4}, "-generic"},
          {"gfx9-generic:xnack-", "gfx9-generic:xnack-", {9}, "-generic:xnack-"},
          {"gfx90a:xnack-", "gfx90a:xnack-", {9, 0, 10}, ":xnack-"},
          {"gfx90a:xnack-:sramecc+", "gfx90a:sramecc+:xnack-", {9, 0, 10}, ":sramecc+:xnack-"},
          {"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", {9, 0, 10}, ":sramecc+:xnack-"},
      });
}

TEST_CASE("what is no target is refused", "[arch_name]") {
  check_spellings(read_sample(kTile), {{"", ""},
                                       {"gfx", ""},
                                       {"gfx9", ""},
                                       {"gfx90", ""},
                                       {"gfx90g", ""},
                                       {"gfx090a", ""},
                                       {"gfx90A", ""},
                                       {"90a", ""},
                                       {"gfx90a:", ""},
                                       {"gfx90a:xnack", ""},
                                       {"gfx90a:xnack~", ""},
                                       {"gfx90a:foo+", ""},
                                       {"gfx90a:xnack+:xnack-", ""},
                                       {"gfx90a:xnack-:", ""},
                                       {"gfx-generic", ""},
                                       {"gfx9--generic", ""},
                                       {"gfx9-4-2-generic", ""},
                                       {"gfxa-generic", ""},
                                       {"gfx9-", ""},
                                       {"gfx:xnack-", ""}});
}

TEST_CASE("names belong to a host machine", "[arch_name]") {
  const Accelerator host = read_sample(kHost);
  check_spellings(host, {{"v2", "v2", {0}},
                         {"v3", "v3", {1}},
                         {"native", "native", {2}},
                         {"armv8", ""},
                         {"V2", ""},
                         {"", ""}});
  CHECK(parse_arch_name(host, "armv8", "aarch64"));
  CHECK_FALSE(parse_arch_name(host, "v2", "aarch64"));
  CHECK(parse_arch_name(host, "armv8", ""));  // any machine
  CHECK(parse_arch_name(host, "v2", ""));
}

TEST_CASE("the name {machine} is the machine's own", "[arch_name]") {
  Accelerator emu = read_sample(kHost);
  emu.archs.names = {{"*", {"{machine}"}}};
  CHECK(parse_arch_name(emu, "x86_64", "x86_64")->name == "x86_64");
  CHECK(parse_arch_name(emu, "{machine}", "aarch64")->name == "aarch64");
  CHECK_FALSE(parse_arch_name(emu, "x86_64", "aarch64"));
  CHECK(parse_arch_name(emu, "x86_64", ""));
  CHECK_FALSE(parse_arch_name(emu, "x86-64", ""));
}

TEST_CASE("archs order by number, never by text", "[arch_name]") {
  const auto sorted = [](const Accelerator& accelerator, std::vector<std::string> names) {
    std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
      return arch_less(*parse_arch_name(accelerator, a, ""), *parse_arch_name(accelerator, b, ""));
    });
    return names;
  };
  CHECK(sorted(read_sample(kGpu), {"sm_100", "sm_90a", "sm_121", "sm_80", "sm_90", "sm_100f"}) ==
        std::vector<std::string>{"sm_80", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_121"});
  CHECK(sorted(read_sample(kTile), {"gfx1100", "gfx942", "gfx90a", "gfx11-generic", "gfx906"}) ==
        std::vector<std::string>{"gfx906", "gfx90a", "gfx942", "gfx11-generic", "gfx1100"});
}

TEST_CASE("the number's text is the name without its prefix", "[arch_name]") {
  const Accelerator gpu = read_sample(kGpu);
  const Accelerator tile = read_sample(kTile);
  CHECK(arch_number_text(*parse_arch_name(gpu, "9.0a", "")) == "90a");
  CHECK(arch_number_text(*parse_arch_name(gpu, "12.1", "")) == "121");
  for (const std::string name : {"90a", "1100", "9-4-generic", "11-generic", "90a:xnack-"}) {
    CHECK(arch_number_text(*parse_arch_name(tile, "gfx" + name, "")) == name);
  }
}

TEST_CASE("a request for 9.0 serves a source that asks for 9.0a", "[arch_name]") {
  const Accelerator gpu = read_sample(kGpu);
  CHECK(applied(gpu, list_of({"sm_90a"}), "9.0") == "sm_90a");
  CHECK(applied(gpu, list_of({"sm_90a"}), "9.0a") == "sm_90a");
  CHECK(applied(gpu, list_of({"sm_90a"}), "9.0f") == "");
  CHECK(applied(gpu, list_of({"sm_90a"}), "10.0") == "");
  CHECK(applied(gpu, list_of({"sm_90a", "sm_90"}), "9.0") == "sm_90");
  CHECK(applied(gpu, list_of({"sm_90"}), "9.0a") == "sm_90a");
  const auto portable =
      apply_filter(gpu, list_of({"sm_90a"}), *parse_arch_name(gpu, "9.0+PTX", ""), "");
  REQUIRE(portable);
  CHECK(portable->portable);
}

TEST_CASE("a bound takes every arch from it on, by number", "[arch_name]") {
  const Accelerator gpu = read_sample(kGpu);
  CHECK(applied(gpu, from("sm_80"), "7.5") == "");
  CHECK(applied(gpu, from("sm_80"), "8.0") == "sm_80");
  CHECK(applied(gpu, from("sm_80"), "10.0") == "sm_100");
  CHECK(applied(gpu, from("sm_80"), "9.0a") == "sm_90a");
  CHECK(applied(gpu, ArchFilter{}, "7.5") == "sm_75");
}

TEST_CASE("a listed target without features takes all of them, with features only those",
          "[arch_name]") {
  const Accelerator tile = read_sample(kTile);
  CHECK(applied(tile, list_of({"gfx90a"}), "gfx90a:xnack-") == "gfx90a:xnack-");
  CHECK(applied(tile, list_of({"gfx90a:xnack-"}), "gfx90a:xnack-:sramecc+") ==
        "gfx90a:sramecc+:xnack-");
  CHECK(applied(tile, list_of({"gfx90a:xnack-"}), "gfx90a") == "");
  CHECK(applied(tile, list_of({"gfx90a:xnack-"}), "gfx90a:xnack+") == "");
  CHECK(applied(tile, list_of({"gfx9-generic"}), "gfx90a") == "");
}

TEST_CASE("a filter of names counts on its own machine only", "[arch_name]") {
  const Accelerator host = read_sample(kHost);
  CHECK(applied(host, from("v3"), "v2") == "");
  CHECK(applied(host, from("v3"), "v3") == "v3");
  CHECK(applied(host, from("v3"), "native") == "native");
  CHECK(applied(host, from("v2"), "armv8", "aarch64") == "");
  CHECK(applied(host, list_of({"v2", "armv8"}), "armv8", "aarch64") == "armv8");
}

TEST_CASE("two filters overlap when one request could be taken by both", "[arch_name]") {
  const Accelerator gpu = read_sample(kGpu);
  const Accelerator tile = read_sample(kTile);
  const Accelerator host = read_sample(kHost);
  CHECK(filters_overlap(gpu, ArchFilter{}, from("sm_90")));
  CHECK(filters_overlap(gpu, from("sm_80"), from("sm_90")));
  CHECK(filters_overlap(gpu, from("sm_80"), list_of({"sm_90a"})));
  CHECK_FALSE(filters_overlap(gpu, from("sm_100"), list_of({"sm_90a"})));
  CHECK_FALSE(filters_overlap(gpu, list_of({"sm_90f"}), list_of({"sm_90a"})));
  CHECK(filters_overlap(gpu, list_of({"sm_90"}), list_of({"sm_90a"})));
  CHECK_FALSE(filters_overlap(tile, list_of({"gfx90a"}), list_of({"gfx942"})));
  CHECK(filters_overlap(tile, list_of({"gfx90a"}), list_of({"gfx90a:xnack-"})));
  CHECK_FALSE(filters_overlap(host, from("v3"), from("armv8")));
  CHECK_FALSE(filters_overlap(host, from("v3"), list_of({"v2"})));
  CHECK(filters_overlap(host, from("v2"), list_of({"v3"})));
}

TEST_CASE("a canonical name parses to itself", "[arch_name]") {
  const Accelerator gpu = read_sample(kGpu);
  const Accelerator tile = read_sample(kTile);
  std::mt19937 random(20240917);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int i = 0; i < 5000; ++i) {
    ArchName arch;
    std::string spelling;
    const Accelerator* accelerator = below(2) == 0 ? &gpu : &tile;
    if (accelerator == &gpu) {
      arch.number = {1 + below(200), below(10)};
      arch.suffix = std::vector<std::string>{"", "a", "f"}[static_cast<std::size_t>(below(3))];
      spelling = std::to_string(arch.number[0]) + (below(2) == 0 ? "." : "") +
                 std::to_string(arch.number[1]) + arch.suffix;
      if (spelling.find('.') == std::string::npos && below(2) == 0) spelling = "sm_" + spelling;
    } else {
      static constexpr const char* kSigns[] = {"", "+", "-"};
      const std::string xnack = kSigns[below(3)];
      const std::string sramecc = kSigns[below(3)];
      arch.number = {1 + below(20), below(16), below(16)};
      spelling = "gfx" + arch_number_text(arch);
      if (!xnack.empty()) spelling += ":xnack" + xnack;
      if (!sramecc.empty()) spelling += ":sramecc" + sramecc;
      if (!sramecc.empty()) arch.suffix += ":sramecc" + sramecc;
      if (!xnack.empty()) arch.suffix += ":xnack" + xnack;
    }
    INFO(spelling);
    const auto parsed = parse_arch_name(*accelerator, spelling, "");
    REQUIRE(parsed);
    REQUIRE(parsed->number == arch.number);
    REQUIRE(parsed->suffix == arch.suffix);
    REQUIRE(parse_arch_name(*accelerator, parsed->name, "") == parsed);
  }
}

TEST_CASE("random text never crashes the parsers and never breaks the round trip", "[arch_name]") {
  static constexpr std::string_view kLetters = "0123456789smgfxcompute_.:+-ageneric xnack";
  std::mt19937 random(7);
  const std::vector<Accelerator> accelerators{read_sample(kGpu), read_sample(kTile),
                                              read_sample(kHost)};
  for (int i = 0; i < 50000; ++i) {
    std::string text = i % 3 == 0 ? "gfx" : i % 3 == 1 ? "sm_" : "";
    for (unsigned n = random() % 8; n > 0; --n) text += kLetters[random() % kLetters.size()];
    for (const Accelerator& accelerator : accelerators) {
      const auto arch = parse_arch_name(accelerator, text, "x86_64");
      if (!arch) continue;
      const auto again = parse_arch_name(accelerator, arch->name, "x86_64");
      INFO(text << " -> " << arch->name);
      REQUIRE(again);
      REQUIRE(again->name == arch->name);
      REQUIRE(again->number == arch->number);
      REQUIRE(again->suffix == arch->suffix);
    }
  }
}
