#include "bundle/installed.h"

#include "support/temp_folder.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

using What = TakenBack::What;

/// A folder of packages with one package in it.
struct Site {
  Site() {
    test::write_text(place.like, "");
    test::write_text(place.site / "p/record.py", "old record");
    test::write_text(temp / "new/a", "new a");
    test::write_text(temp / "new/record", "new record");
  }

  void install() {
    write_installed(
        place, read_installed(place),
        {{"p/sub/a.so", {"a", temp / "new/a"}}, {"p/record.py", {"", temp / "new/record"}}},
        "p/record.py");
  }
  std::vector<TakenBack> take_back() {
    return write_uninstall(place, read_installed(place), "p/record.py",
                           [](const InstalledFile&) { return false; });
  }
  std::string text(const std::string& path) const { return test::read_text(place.site / path); }

  test::TempFolder temp;
  InstallPlace place{temp / "site", temp / "site/p/.own", temp / "site/p/__init__.py"};
};

TEST_CASE("what was there before, and nothing, stand there again when files are taken back",
          "[installed]") {
  Site site;
  site.install();
  CHECK(site.text("p/sub/a.so") == "new a");
  CHECK(site.text("p/record.py") == "new record");
  const auto done = site.take_back();
  REQUIRE(done.size() == 2);
  CHECK(done[0].path == "p/record.py");
  CHECK(done[0].what == What::restored);
  CHECK(done[1].what == What::removed);
  CHECK(site.text("p/record.py") == "old record");
  CHECK_FALSE(fs::exists(site.place.site / "p/sub"));
  CHECK_FALSE(fs::exists(site.place.own));
}

TEST_CASE("a newer one of ours keeps what was there before the first", "[installed]") {
  Site site;
  site.install();
  test::write_text(site.temp / "new/record", "newer record");
  site.install();
  CHECK(site.text("p/record.py") == "newer record");
  site.take_back();
  CHECK(site.text("p/record.py") == "old record");
}

TEST_CASE("a file that somebody changed since stays", "[installed]") {
  Site site;
  site.install();
  test::write_text(site.place.site / "p/sub/a.so", "theirs");
  const auto done = site.take_back();
  REQUIRE(done.size() == 2);
  CHECK(done[1].what == What::left);
  CHECK(site.text("p/sub/a.so") == "theirs");
}

TEST_CASE("an interrupted one is undone, whichever files were reached", "[installed]") {
  Site site;
  site.install();
  test::write_text(site.temp / "new/record", "newer record");
  site.install();
  SECTION("the old file of theirs") {
    test::write_text(site.place.site / "p/record.py", "old record");
  }
  SECTION("an older one of ours") {
    test::write_text(site.place.site / "p/record.py", "new record");
  }
  SECTION("the newest one") {}
  fs::remove(site.place.site / "p/sub/a.so");
  for (const TakenBack& file : site.take_back()) CHECK(file.what != What::left);
  CHECK(site.text("p/record.py") == "old record");
}

TEST_CASE("a file that is still wanted stays", "[installed]") {
  Site site;
  site.install();
  const auto done = write_uninstall(site.place, read_installed(site.place), "p/record.py",
                                    [](const InstalledFile& file) { return file.op == "a"; });
  CHECK(done.back().what == What::left);
  CHECK(site.text("p/sub/a.so") == "new a");
}

}  // namespace
}  // namespace dsbuild::bundle
