#include "run/build_files.h"
#include "support/temp_folder.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

TEST_CASE("only what changed is written, and step files of no step are removed", "[build]") {
  const test::TempFolder temp;
  const fs::path folder = temp / "b";
  const std::map<std::string, std::string> files = {
      {"build.ninja", "1"}, {"steps/a/x.argv", "x"}, {"steps/y.argv", "y"}};
  CHECK(write_build_files(folder, files, "/bin/true"));
  const auto time = fs::last_write_time(folder / "build.ninja");
  test::write_text(folder / "steps/note.txt", "not ours to remove");
  CHECK_FALSE(write_build_files(folder, files, "/bin/true"));
  CHECK(fs::last_write_time(folder / "build.ninja") == time);
  write_build_files(folder, {{"build.ninja", "2"}, {"steps/y.argv", "y"}}, "/bin/true");
  CHECK(test::read_text(folder / "build.ninja") == "2");
  CHECK_FALSE(fs::exists(folder / "steps/a/x.argv"));
  CHECK(fs::exists(folder / "steps/y.argv"));
  CHECK(fs::exists(folder / "steps/note.txt"));
}

TEST_CASE("step is a link that follows the program when it moves", "[build]") {
  const test::TempFolder temp;
  write_build_files(temp / "b", {{"build.ninja", ""}}, "/bin/true");
  CHECK(fs::read_symlink(temp / "b/step") == "/bin/true");
  write_build_files(temp / "b", {{"build.ninja", ""}}, "/bin/false");
  CHECK(fs::read_symlink(temp / "b/step") == "/bin/false");
  // Something else of that name, from a damaged folder.
  fs::remove(temp / "b/step");
  test::write_text(temp / "b/step", "a file");
  write_build_files(temp / "b", {{"build.ninja", ""}}, "/bin/true");
  CHECK(fs::read_symlink(temp / "b/step") == "/bin/true");
}

}  // namespace
}  // namespace dsbuild::run
