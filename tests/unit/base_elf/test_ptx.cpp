// What is read from PTX text.
#include "base/elf.h"
#include "support/temp_folder.h"

namespace dsbuild {
namespace {

constexpr std::string_view kPtx = R"(
// .target sm_20 in a comment, and .entry too
/* .version 1.0
   .entry hidden */
.version 9.0
.target sm_100f, debug
.address_size 64

.visible .func (.param .b32 r) helper(.param .b32 a) { ret; }
.visible .entry zeta(
  .param .u64 p
) { .loc 1 2 3; ret; }
.file 1 "a .entry in a string"
.weak .entry _Z5alphaPf(.param .u64 p) .maxntid 64, 1, 1 { { ret; } }
)";

TEST_CASE("PTX tells its target and its entries, comments and strings apart", "[ptx]") {
  const ElfFacts facts = parse_ptx(kPtx);
  CHECK(facts.problem.empty());
  CHECK(facts.device);
  CHECK(facts.target == "sm_100f");
  CHECK(facts.kernels == std::vector<std::string>{"_Z5alphaPf", "zeta"});
}

TEST_CASE("what is no PTX, or not whole, is a problem", "[ptx]") {
  CHECK(parse_ptx("").problem == "the file is empty");
  CHECK(parse_ptx("#include <x>").problem == "neither ELF nor PTX");
  CHECK(parse_ptx("version https://git-lfs.github.com/spec/v1\n").problem == "neither ELF nor PTX");
  CHECK(parse_ptx(".version 9.0\n").problem == "PTX without a .target");
  const auto cut = kPtx.substr(0, kPtx.find(".loc"));
  CHECK(parse_ptx(cut).problem == "truncated: the PTX ends inside a function");
}

TEST_CASE("an image is read by its content, not by its name", "[ptx]") {
  const test::TempFolder folder;
  test::write_text(folder / "a.cubin", kPtx);
  CHECK(read_image(folder / "a.cubin").target == "sm_100f");
  test::write_text(folder / "b.ptx", "hello");
  CHECK(read_image(folder / "b.ptx").problem == "neither ELF nor PTX");
  CHECK(read_image(folder / "none").problem == "No such file or directory");
  CHECK(read_image(folder.path).problem == "not a regular file");
}

}  // namespace
}  // namespace dsbuild
