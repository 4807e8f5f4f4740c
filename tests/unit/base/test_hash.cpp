#include "base/hash.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "support/temp_folder.h"

using namespace dsbuild;
using dsbuild::test::TempFolder;
using dsbuild::test::write_text;

TEST_CASE("SHA-256 is the one of FIPS 180-4", "[hash]") {
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("a file hashes as its text, of any size", "[hash]") {
  TempFolder folder;
  for (const std::size_t size : {0u, 1u, 65'535u, 65'536u, 65'537u, 200'000u}) {
    const std::string text(size, 'x');
    write_text(folder / "f", text);
    CHECK(sha256_file(folder / "f") == sha256(text));
  }
}

TEST_CASE("a file that can't be read is an error that names it", "[hash]") {
  TempFolder folder;
  for (const auto& path : {folder / "missing", folder.path}) {
    try {
      sha256_file(path);
      FAIL("nothing was thrown for " << path);
    } catch (const Error& error) {
      CHECK(error.code == ExitCode::file_system);
      CHECK(error.where == path.string());
    }
  }
}

TEST_CASE("fields don't collide by running together, bytes do", "[hash]") {
  const auto fields = [](std::string_view a, std::string_view b, std::string_view c,
                         std::string_view d) { return Hasher().field(a, b).field(c, d).hex(); };
  CHECK(fields("a", "b", "c", "d") == fields("a", "b", "c", "d"));
  CHECK(fields("a", "b", "c", "d") != fields("a", "bc", "", "d"));
  CHECK(fields("a", "b", "c", "d") != fields("ab", "", "c", "d"));
  CHECK(fields("a", "b", "c", "d") != fields("c", "d", "a", "b"));
  CHECK(Hasher().bytes("ab").bytes("c").hex() == sha256("abc"));
}
