// A preview by the real Ninja, and builds that rely on it.
#include <unistd.h>

#include "base/error.h"
#include "unit/run/workshop.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

/// A build for which Ninja was asked before.
BuildOutcome build_after_preview(
    Workshop& shop, const std::function<void()>& meanwhile = [] {}) {
  PosixProcessRunner processes;
  Preview preview(processes, shop.folder);
  meanwhile();
  shop.options.preview = &preview;
  BuildOutcome outcome = shop.build();
  shop.options.preview = nullptr;
  return outcome;
}

TEST_CASE("a build whose preview found nothing to do doesn't run Ninja again", "[preview]") {
  Workshop shop;
  shop.add("a.o", "echo a >\"$1\"");
  CHECK(build_after_preview(shop).steps_run == 1);
  shop.options.ninja = "/nowhere/ninja";
  const BuildOutcome outcome = build_after_preview(shop);
  CHECK(outcome.ok);
  CHECK(outcome.nothing_to_do);
  // The Ninja that is noted now can't be asked, nor run.
  CHECK_THROWS_AS(build_after_preview(shop), Error);
}

TEST_CASE("what a preview found holds only for the files that it saw", "[preview]") {
  Workshop shop;
  shop.add("a.o", "cat \"$2\" >\"$1\"", {"a.txt"});
  test::write_text(shop.folder / "a.txt", "1");
  REQUIRE(shop.build().steps_run == 1);

  SECTION("a step that is new is run") {
    shop.add("b.o", "echo b >\"$1\"");
    CHECK(build_after_preview(shop).steps_run == 1);
    CHECK(shop.has("b.o"));
  }
  SECTION("a step that changed is run") {
    shop.plan.steps[0].environment["SOURCE_DATE_EPOCH"] = "7";
    CHECK(build_after_preview(shop).steps_run == 1);
  }
  SECTION("an output that is gone is made") {
    fs::remove(shop.folder / "a.o");
    CHECK(build_after_preview(shop).steps_run == 1);
  }
  SECTION("an input that changed is seen") {
    fs::last_write_time(shop.folder / "a.txt",
                        fs::file_time_type::clock::now() + std::chrono::hours(1));
    CHECK(build_after_preview(shop).steps_run == 1);
  }
  SECTION("what a killed step left is made again, though Ninja takes it for whole") {
    const auto leave_mark = [&] {
      test::write_text(shop.folder / "running/0123", "steps/a.o.argv");
    };
    CHECK(build_after_preview(shop, leave_mark).steps_run == 1);
  }
}

TEST_CASE("what goes wrong with a preview is left to the build", "[preview]") {
  Workshop shop;
  PosixProcessRunner processes;
  CHECK_FALSE(Preview(processes, shop.folder).nothing_to_do());
  shop.add("a.o", "echo a >\"$1\"");
  REQUIRE(shop.build().ok);
  CHECK(Preview(processes, shop.folder).nothing_to_do());
  const std::string ninja_file = shop.text("build.ninja");
  test::write_text(shop.folder / "build.ninja", "build");
  CHECK_FALSE(Preview(processes, shop.folder).nothing_to_do());
  test::write_text(shop.folder / "build.ninja", ninja_file);
  // Ninja warns of such a log and mends it.
  test::write_text(shop.folder / ".ninja_deps", "# ninjadeps\nno version");
  CHECK_FALSE(Preview(processes, shop.folder).nothing_to_do());
}

}  // namespace
}  // namespace dsbuild::run
