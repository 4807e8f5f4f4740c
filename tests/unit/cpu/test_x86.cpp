#include <catch2/catch.hpp>

#include "captured.h"

using namespace dsbuild::cpu;

namespace {

std::string level_of(const Cpu& cpu) {
  const Level* level = best_level(cpu.isa, cpu.usable);
  return level == nullptr ? "none" : std::string(level->name);
}

bool has(FeatureSet set, std::string_view name) {
  return (set & parse_features(Isa::x86_64, name).set) != 0;
}

}  // namespace

TEST_CASE("Nehalem is x86-64-v2, and XGETBV is not executed where OSXSAVE is off") {
  const FakeCpuid fake = nehalem();
  const Cpu cpu = read_x86(fake);
  CHECK(level_of(cpu) == "x86-64-v2");
  CHECK(cpu.vendor == "GenuineIntel");
  CHECK(cpu.brand == "Genuine Intel(R) CPU           @ 0000 @ 1.87GHz");
  CHECK(cpu.family == 6);
  CHECK(cpu.model == 0x1A);
  CHECK(cpu.stepping == 2);
  CHECK(cpu.present == cpu.usable);
  CHECK(fake.xcr0_reads == 0);
}

TEST_CASE("Haswell is x86-64-v3") {
  const Cpu cpu = read_x86(haswell());
  CHECK(level_of(cpu) == "x86-64-v3");
  CHECK(cpu.brand == "Intel(R) Core(TM) i7-4770 CPU @ 3.40GHz");
  CHECK(cpu.model == 0x3C);
  CHECK_FALSE(has(cpu.present, "avx512f"));
}

TEST_CASE("Haswell under a system that saves no YMM registers is x86-64-v2") {
  const Cpu cpu = read_x86(haswell(kNoVectors));
  CHECK(level_of(cpu) == "x86-64-v2");
  CHECK(has(cpu.present, "avx2"));
  CHECK(render_features(cpu.present & ~cpu.usable) == "fma avx f16c avx2");
  CHECK(has(cpu.usable, "bmi2"));
}

TEST_CASE("Zen 3 is x86-64-v3") {
  const Cpu cpu = read_x86(zen3());
  CHECK(level_of(cpu) == "x86-64-v3");
  CHECK(cpu.vendor == "AuthenticAMD");
  CHECK(cpu.brand == "AMD EPYC");
  CHECK(cpu.family == 0x19);
  CHECK(cpu.model == 1);
  CHECK(has(cpu.usable, "vaes"));
}

TEST_CASE("Skylake-X is x86-64-v4, and v3 where XCR0 lacks the ZMM state") {
  CHECK(level_of(read_x86(skylake_x(kZmm))) == "x86-64-v4");
  const Cpu cpu = read_x86(skylake_x(kYmm));
  CHECK(level_of(cpu) == "x86-64-v3");
  CHECK(render_features(cpu.present & ~cpu.usable) ==
        "avx512f avx512dq avx512cd avx512bw avx512vl");
}

TEST_CASE("half of the ZMM state is not enough for AVX-512") {
  CHECK(level_of(read_x86(skylake_x(kYmm | 0x60))) == "x86-64-v3");
}

TEST_CASE("Sapphire Rapids is x86-64-v4 with bfloat16, and tiles only where they are saved") {
  const Cpu cpu = read_x86(sapphire_rapids());
  CHECK(level_of(cpu) == "x86-64-v4");
  CHECK(has(cpu.usable, "avx512_bf16"));
  CHECK(has(cpu.usable, "avx_vnni"));
  CHECK(has(cpu.usable, "amx_tile"));
  const Cpu no_tiles = read_x86(sapphire_rapids(kZmm));
  CHECK(level_of(no_tiles) == "x86-64-v4");
  CHECK(render_features(no_tiles.present & ~no_tiles.usable) == "amx_bf16 amx_tile amx_int8");
}

TEST_CASE("Hygon is x86-64-v3 though its vendor is neither Intel nor AMD") {
  const Cpu cpu = read_x86(hygon(true));
  CHECK(cpu.vendor == "HygonGenuine");
  CHECK(cpu.brand == "Hygon C86 3185  8-core Processor");
  CHECK(cpu.family == 0x18);
  CHECK(level_of(cpu) == "x86-64-v3");
}

TEST_CASE("Hygon is x86-64-v2 where OSXSAVE is off, whatever XCR0 holds") {
  const FakeCpuid fake = hygon(false);
  CHECK(level_of(read_x86(fake)) == "x86-64-v2");
  CHECK(fake.xcr0_reads == 0);
}

TEST_CASE("Zhaoxin KX-6000 is x86-64-v2: it has AVX but neither AVX2 nor FMA") {
  const Cpu cpu = read_x86(zhaoxin());
  CHECK(cpu.vendor == "  Shanghai  ");
  CHECK(cpu.brand.empty());
  CHECK(level_of(cpu) == "x86-64-v2");
  CHECK(has(cpu.usable, "avx"));
  const FeatureSet v3 = find_level("x86-64-v3")->needs;
  CHECK(render_features(v3 & ~cpu.usable) == "fma avx2");
}

TEST_CASE("leaves above the highest that the CPU has are not read") {
  // A CPU that stops at leaf 1 returns the data of its last leaf for others (Intel SDM, CPUID).
  const FakeCpuid old({{{0, 0}, {1, 0x756E6547, 0x6C65746E, 0x49656E69}},
                       {{1, 0}, {0x00000F62, 0, 0x0000E59D, 0xBFEBFBFF}},
                       {{7, 0}, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}},
                       {{0x80000001, 0}, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}}},
                      kZmm);
  const Cpu cpu = read_x86(old);
  CHECK_FALSE(has(cpu.present, "avx2"));
  CHECK_FALSE(has(cpu.present, "lzcnt"));
  CHECK(level_of(cpu) == "x86-64-v1");
}
