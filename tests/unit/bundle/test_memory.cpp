#include <fcntl.h>
#include <sys/stat.h>

#include "base/error.h"
#include "bundle/memory.h"
#include "support/temp_folder.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

TEST_CASE("facts are remembered until the file changes", "[memory]") {
  const test::TempFolder temp;
  test::write_text(temp / "a", "one");
  std::string hash;
  {
    Memory memory(temp.path);
    hash = memory.facts(temp / "a", false).sha256;
    memory.write();
  }
  const std::string text = test::read_text(temp / "published.json");
  // Planted, so that one can see where the facts come from.
  const fs::path planted = temp / "published.json";
  std::string changed = text;
  changed.replace(changed.find(hash), 4, "0000");
  test::write_text(planted, changed);
  CHECK_THAT(Memory(temp.path).facts(temp / "a", false).sha256, Catch::StartsWith("0000"));
  test::write_text(temp / "a", "two");
  CHECK(Memory(temp.path).facts(temp / "a", false).sha256 != hash);
}

TEST_CASE("a file as young as the memory is read again: it may have changed in the same tick",
          "[memory]") {
  const test::TempFolder temp;
  test::write_text(temp / "a", "one");
  Memory memory(temp.path);
  const std::string hash = memory.facts(temp / "a", false).sha256;
  memory.write();
  std::string changed = test::read_text(temp / "published.json");
  changed.replace(changed.find(hash), 4, "0000");
  test::write_text(temp / "published.json", changed);
  // As if the memory had been written in the tick in which the file was.
  struct stat status {};
  REQUIRE(::stat((temp / "a").c_str(), &status) == 0);
  const timespec times[2] = {status.st_ctim, status.st_ctim};
  REQUIRE(::utimensat(AT_FDCWD, (temp / "published.json").c_str(), times, 0) == 0);
  CHECK(Memory(temp.path).facts(temp / "a", false).sha256 == hash);
}

TEST_CASE("a file that is not there is an error that names it", "[memory]") {
  const test::TempFolder temp;
  Memory memory(temp.path);
  try {
    memory.facts(temp / "nope", false);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::file_system);
    CHECK(error.where == (temp / "nope").string());
  }
}

TEST_CASE("a memory that can't be written is no error", "[memory]") {
  const test::TempFolder temp;
  test::write_text(temp / "a", "one");
  Memory memory("/proc/nowhere");
  memory.facts(temp / "a", false);
  memory.write();
  SUCCEED();
}

}  // namespace
}  // namespace dsbuild::bundle
