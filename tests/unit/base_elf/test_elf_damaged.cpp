// Files that are no whole ELF: each comes back with a problem, none crashes.
#include <random>

#include "base/elf.h"
#include "base/elf_device.h"
#include "support/temp_folder.h"

namespace dsbuild {
namespace {

using test::TempFolder;

/// A real library, small enough to be damaged ten thousand times.
std::string sample(const TempFolder& folder) {
  const auto cxx = test::find_tool({"g++", "clang++"});
  if (!cxx) return {};
  test::write_text(folder / "s.cpp",
                   "#include <string.h>\n#include <stdio.h>\n"
                   "extern \"C\" void f(char* a) { memset(a, 1, 99999); puts(a); }");
  test::run_tool({*cxx, "-shared", "-fPIC", "-O1", "-s", "s.cpp", "-o", "s.so"}, folder.path);
  return test::read_text(folder / "s.so");
}

TEST_CASE("M03: an empty, a cut and a foreign file are told as such", "[elf]") {
  const TempFolder folder;
  const std::string whole = sample(folder);
  if (whole.empty()) {
    WARN("skipped: no g++ on this machine");
    return;
  }
  const auto read = [&](std::string_view bytes) {
    test::write_text(folder / "x.so", bytes);
    return read_elf(folder / "x.so").problem;
  };
  CHECK(read(whole).empty());
  CHECK(read("") == "the file is empty");
  CHECK(read("hello, world\n") == "not an ELF file");
  CHECK(read(whole.substr(0, 3)) == "not an ELF file");
  CHECK_THAT(read(whole.substr(0, 100)), Catch::StartsWith("truncated"));
  CHECK_THAT(read(whole.substr(0, whole.size() - 1)), Catch::StartsWith("truncated"));
  CHECK_FALSE(read(whole.substr(0, 20)).empty());
}

TEST_CASE("a file that is cut anywhere is never taken for whole", "[elf]") {
  const TempFolder folder;
  const std::string whole = sample(folder);
  if (whole.empty()) {
    WARN("skipped: no g++ on this machine");
    return;
  }
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 500) {
    test::write_text(folder / "x.so", std::string_view(whole).substr(0, size));
    INFO(size << " of " << whole.size());
    CHECK_FALSE(read_elf(folder / "x.so").problem.empty());
  }
}

TEST_CASE("damaged bytes never crash", "[elf][fuzz]") {
  const TempFolder folder;
  std::vector<std::string> samples{sample(folder)};
  // Device images, where this machine can make them.
  if (const auto nvcc = test::find_tool({"nvcc"})) {
    test::write_text(folder / "k.cu", "extern \"C\" __global__ void k(int* x) { *x = 1; }");
    test::run_tool({*nvcc, "-cubin", "-arch=sm_90", "k.cu", "-o", "k.cubin"}, folder.path);
    samples.push_back(test::read_text(folder / "k.cubin"));
    test::run_tool({*nvcc, "-c", "k.cu", "-o", "k.o"}, folder.path);
    samples.push_back(test::read_text(folder / "k.o"));
    test::run_tool({*nvcc, "-ptx", "k.cu", "-o", "k.ptx"}, folder.path);
    samples.push_back(test::read_text(folder / "k.ptx"));
  }
  // DSBUILD_FUZZ=10000 for the long run that is made under sanitizers.
  const char* wanted = std::getenv("DSBUILD_FUZZ");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 300;
  std::mt19937 random(20261128);
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = samples[below(samples.size())];
    for (std::size_t i = below(40) + 1; i > 0 && !bytes.empty(); --i) {
      // Half of the damage goes to the header and the tables, where it does most harm.
      const std::size_t where =
          below(2) == 0 ? below(std::min<std::size_t>(bytes.size(), 64)) : below(bytes.size());
      bytes[where] = static_cast<char>(random());
    }
    if (below(10) == 0) bytes.resize(below(bytes.size()));
    test::write_text(folder / "x", bytes);
    (void)read_image(folder / "x");
    (void)parse_fatbin(bytes);
    (void)parse_ptx(bytes);
    (void)cuda_target({190, 8, 0x06005a04}, bytes, bytes);
  }
  SUCCEED("no crash");
}

}  // namespace
}  // namespace dsbuild
