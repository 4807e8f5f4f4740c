// What is read from host libraries that this machine's compiler made.
#include "base/elf.h"
#include "support/temp_folder.h"

namespace dsbuild {
namespace {

using test::TempFolder;

constexpr std::string_view kSource = R"(
#include <cstring>
#include <cstdio>
extern "C" __attribute__((visibility("default"))) void zeta(char* a, const char* b, size_t n) {
  memcpy(a, b, n);
}
extern "C" __attribute__((visibility("default"))) int alpha() { return std::puts("x"); }
extern "C" __attribute__((visibility("hidden"))) int hidden() { return 1; }
extern "C" __attribute__((weak)) int perhaps();
extern "C" int ask() { return perhaps ? perhaps() + hidden() : 0; }
)";

std::optional<std::filesystem::path> build(const TempFolder& folder,
                                           std::vector<std::string> flags) {
  const auto cxx = test::find_tool({"g++"});
  if (!cxx) return std::nullopt;
  test::write_text(folder / "a.cpp", kSource);
  std::vector<std::string> argv{*cxx, "-fvisibility=hidden", "-fno-builtin", "-O1", "a.cpp"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  test::run_tool(argv, folder.path);
  return folder / "out";
}

TEST_CASE("a shared library tells exports, needs, versions and run path", "[elf]") {
  const TempFolder folder;
  const auto file = build(folder, {"-shared", "-fPIC", "-nostdlib", "-lc", "-lm",
                                   "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN/lib", "-o", "out"});
  if (!file) {
    WARN("skipped: no g++ on this machine");
    return;
  }
  const ElfFacts facts = read_elf(*file);
  CHECK(facts.problem.empty());
  CHECK_FALSE(facts.device);
  CHECK(facts.exported == std::vector<std::string>{"alpha", "zeta"});
  CHECK(facts.kernels.empty());
  CHECK(facts.embedded.empty());
  REQUIRE(!facts.needed.empty());
  CHECK(facts.needed.front().starts_with("libc."));
  CHECK(facts.runpath == "$ORIGIN/lib");
  if (facts.target == "x86_64" && facts.needed.front() == "libc.so.6") {
    // glibc gave memcpy a new version on x86-64 when it began to copy backwards: 2.14.
    CHECK(facts.undefined == std::vector<std::string>{"memcpy@GLIBC_2.14", "puts@GLIBC_2.2.5"});
    CHECK(facts.glibc == "2.14");
  }
}

TEST_CASE("glibc versions are compared as numbers: 2.14 is above 2.2.5 and 2.9", "[elf]") {
  const TempFolder folder;
  const auto cxx = test::find_tool({"g++"});
  if (!cxx) {
    WARN("skipped: no g++ on this machine");
    return;
  }
  test::write_text(folder / "v.c", R"(
__asm__(".symver f,f@GLIBC_2.9");
__asm__(".symver g,g@GLIBC_2.14");
__asm__(".symver h,h@GLIBC_2.2.5");
__asm__(".symver i,i@GLIBC_PRIVATE");
int f(void); int g(void); int h(void); int i(void);
int all(void) { return f() + g() + h() + i(); }
)");
  // A stand-in for libc with those versions, so that the test depends on no real one.
  test::write_text(folder / "libc_fake.c", R"(
__asm__(".symver f_,f@@GLIBC_2.9");
__asm__(".symver g_,g@@GLIBC_2.14");
__asm__(".symver h_,h@@GLIBC_2.2.5");
__asm__(".symver i_,i@@GLIBC_PRIVATE");
int f_(void) { return 1; }
int g_(void) { return 1; }
int h_(void) { return 1; }
int i_(void) { return 1; }
)");
  test::write_text(folder / "map",
                   "GLIBC_2.2.5 {}; GLIBC_2.9 {}; GLIBC_2.14 {}; GLIBC_PRIVATE {};");
  test::run_tool({*cxx, "-x", "c", "-shared", "-fPIC", "-nostdlib", "libc_fake.c",
                  "-Wl,--version-script=map", "-o", "libfake.so"},
                 folder.path);
  test::run_tool({*cxx, "-x", "c", "-shared", "-fPIC", "-nostdlib", "v.c", "-x", "none",
                  "./libfake.so", "-o", "out"},
                 folder.path);
  CHECK(read_elf(folder / "out").glibc == "2.14");
}

TEST_CASE("an object tells its global symbols, and undefined ones without versions", "[elf]") {
  const TempFolder folder;
  const auto file = build(folder, {"-c", "-fno-pic", "-o", "out"});
  if (!file) {
    WARN("skipped: no g++ on this machine");
    return;
  }
  const ElfFacts facts = read_elf(*file);
  CHECK(facts.problem.empty());
  CHECK(facts.exported == std::vector<std::string>{"alpha", "zeta"});
  CHECK(facts.undefined == std::vector<std::string>{"memcpy", "puts"});
  CHECK(facts.needed.empty());
  CHECK(facts.glibc.empty());
}

TEST_CASE("this test program itself is read", "[elf]") {
  const ElfFacts facts = read_elf("/proc/self/exe");
  CHECK(facts.problem.empty());
  CHECK_FALSE(facts.target.empty());
  CHECK_FALSE(facts.needed.empty());
}

}  // namespace
}  // namespace dsbuild
