#include <unistd.h>

#include <fstream>

#include "base/error.h"
#include "support/interrupts.h"
#include "unit/bundle/shop.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

/// Path -> content of all files below a folder.
std::map<std::string, std::string> tree(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[entry.path().lexically_relative(folder)] = test::read_text(entry.path());
    }
  }
  return files;
}

/// Bytes that this process has read so far.
std::uint64_t bytes_read() {
  std::ifstream in("/proc/self/io");
  std::string name;
  std::uint64_t value = 0;
  while (in >> name >> value) {
    if (name == "rchar:") return value;
  }
  return 0;
}

Error refusal(Shop& shop, const fs::path& out) {
  try {
    write_bundle(shop.plan, shop.content, out);
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error");
  return Error(ExitCode::ok, "");
}

TEST_CASE("a bundle holds artifacts, copies and texts, and an index of all of them", "[write]") {
  Shop shop;
  plan::Entry& entry = shop.add("images/op/acme/wh.blob", "image");
  entry.needs = {{"driver", ">=1"}};
  entry.variant = "HEAD_DIM-64";
  test::write_text(shop.temp / "LICENSE", "licence");
  shop.content.copies["LICENSE"] = shop.temp / "LICENSE";
  shop.content.texts["report.txt"] = "report\n";
  shop.content.commit = "0123";
  CHECK(shop.write());
  CHECK(shop.text("images/op/acme/wh.blob") == "image");
  CHECK(shop.text("LICENSE") == "licence");
  CHECK(shop.text("report.txt") == "report\n");
  CHECK(shop.beside().empty());
  CHECK(shop.check().empty());
  const BundleIndex index = read_bundle(shop.out());
  CHECK(index.commit == "0123");
  CHECK(index.triple == "x86_64-linux-gnu");
  REQUIRE(index.files.size() == 3);
  CHECK(index.files[0].path == "LICENSE");
  const BundleFile& image = index.files[1];
  CHECK(image.op == "op");
  CHECK(image.arch == "wh");
  CHECK(image.variant == "HEAD_DIM-64");
  CHECK(image.needs == std::map<std::string, std::string>{{"driver", ">=1"}});
  CHECK(image.size == 5);
  CHECK(image.sha256 == "6105d6cc76af400325e94d588ce511be5bfdbb73b437dc51eca43917d7a43e3d");
}

TEST_CASE("what is not in the bundle is listed with its reason, without the checkout's place",
          "[write]") {
  Shop shop;
  shop.add("images/op/acme/wh.blob", "image");
  shop.plan.paths = {{"src", "/home/me/dsbuild"}, {"root1", "/home/me/dsbuild/mine"}};
  plan::Entry gap;
  gap.op = "op";
  gap.accelerator = "cuda";
  gap.arch = "sm_90";
  gap.reason = plan::Reason{plan::ReasonCode::need_missing, "/home/me/dsbuild/mine/a.cu needs x.h",
                            "see /home/me/dsbuild/docs"};
  shop.plan.entries.push_back(gap);
  shop.write();
  CHECK(read_bundle(shop.out()).gaps ==
        std::vector<BundleGap>{
            {"op", "cuda", "sm_90", "need_missing", "{root1}/a.cu needs x.h", "see {src}/docs"}});
}

TEST_CASE("an unchanged bundle is left as it is, without reading its files", "[write]") {
  Shop shop;
  shop.add("images/op/acme/wh.blob", std::string(8 << 20, 'x'));
  shop.content.texts["report.txt"] = "report\n";
  REQUIRE(shop.write());
  const auto time = fs::last_write_time(shop.out() / "bundle.json");
  const std::uint64_t before = bytes_read();
  CHECK_FALSE(shop.write());
  CHECK(bytes_read() - before < 1 << 20);
  CHECK(fs::last_write_time(shop.out() / "bundle.json") == time);
  CHECK(shop.beside().empty());
}

TEST_CASE("an artifact that was made again with the same content changes nothing", "[write]") {
  Shop shop;
  shop.add("a.blob", "image");
  REQUIRE(shop.write());
  fs::remove(shop.content.build_folder / "a.blob");
  test::write_text(shop.content.build_folder / "a.blob", "image");
  CHECK_FALSE(shop.write());
}

TEST_CASE("a changed artifact, text or plan makes a new bundle", "[write]") {
  Shop shop;
  shop.add("a.blob", "image");
  shop.content.texts["report.txt"] = "one";
  REQUIRE(shop.write());
  SECTION("artifact of the same size") {
    test::write_text(shop.content.build_folder / "a.blob", "IMAGE");
  }
  SECTION("text") {
    shop.content.texts["report.txt"] = "two";
  }
  SECTION("a file more") {
    shop.add("b.blob", "another");
  }
  SECTION("a file less") {
    shop.plan.entries.clear();
  }
  SECTION("commit") {
    shop.content.commit = "0123";
  }
  SECTION("triple") {
    shop.plan.triple = "aarch64-linux-gnu";
  }
  CHECK(shop.write());
  CHECK(shop.check().empty());
  CHECK(shop.beside().empty());
  CHECK_FALSE(shop.write());
}

TEST_CASE("a published bundle that was touched since is published again", "[write]") {
  Shop shop;
  shop.add("a/a.blob", "image");
  test::write_text(shop.temp / "other/a.blob", "IMAGE");  // older than the bundle
  REQUIRE(shop.write());
  const fs::path file = shop.out() / "a/a.blob";
  SECTION("same size, same time") {
    const auto time = fs::last_write_time(file);
    test::write_text(file, "IMAGE");
    fs::last_write_time(file, time);
  }
  SECTION("another file in its place, same size and time") {
    const auto time = fs::last_write_time(file);
    fs::last_write_time(shop.temp / "other/a.blob", time);
    fs::rename(shop.temp / "other/a.blob", file);
  }
  SECTION("another folder in its place, with an older file of the same size") {
    fs::rename(shop.out() / "a", shop.temp / "away");
    fs::rename(shop.temp / "other", shop.out() / "a");
  }
  SECTION("removed") {
    fs::remove(file);
  }
  SECTION("a link to the same content") {
    fs::rename(file, shop.temp / "moved");
    fs::create_symlink(shop.temp / "moved", file);
  }
  SECTION("a file more") {
    test::write_text(shop.out() / "a/more", "");
  }
  SECTION("the index") {
    test::write_text(shop.out() / "bundle.json", "{}");
  }
  CHECK(shop.write());
  CHECK(shop.check().empty());
  CHECK(shop.text("a/a.blob") == "image");
}

TEST_CASE("a lost or damaged memory costs time, nothing else", "[write]") {
  Shop shop;
  shop.add("a.blob", "image");
  REQUIRE(shop.write());
  for (const char* text :
       {"", "{", "[]", "{\"schema\": 1}", "{\"schema\": 1, \"files\": {\"x\": [1]}}"}) {
    test::write_text(shop.content.build_folder / "published.json", text);
    CHECK_FALSE(shop.write());
  }
  fs::remove(shop.content.build_folder / "published.json");
  CHECK_FALSE(shop.write());
  CHECK_FALSE(shop.write());
}

TEST_CASE("O07: made twice in two folders, every file is identical", "[write]") {
  Shop one;
  Shop two;
  for (Shop* shop : {&one, &two}) {
    shop->plan.paths["src"] = shop->temp.path.string();
    shop->add("b.blob", "b");
    shop->add("a.blob", "a");
    plan::Entry gap;
    gap.op = "op";
    gap.reason = plan::Reason{plan::ReasonCode::no_kernel, shop->temp.path.string() + "/x", ""};
    shop->plan.entries.push_back(gap);
    shop->content.texts["t"] = "text";
    REQUIRE(shop->write());
  }
  std::swap(two.plan.entries[0], two.plan.entries[1]);
  two.write();
  CHECK(tree(one.out()) == tree(two.out()));
}

TEST_CASE("what holds other files is never replaced", "[write]") {
  Shop shop;
  shop.add("a.blob", "image");
  test::write_text(shop.out() / "thesis.tex", "years of work");
  const Error error = refusal(shop, shop.out());
  CHECK(error.code == ExitCode::bad_input);
  CHECK(error.where == shop.out().string());
  CHECK_THAT(error.hint, Catch::Contains("--out"));
  CHECK(shop.text("thesis.tex") == "years of work");
  CHECK(check_place(shop.out()));

  test::write_text(shop.temp / "file", "x");
  CHECK(refusal(shop, shop.temp / "file").code == ExitCode::bad_input);
  CHECK(refusal(shop, "/proc").code == ExitCode::bad_input);
  CHECK(refusal(shop, "/").code == ExitCode::bad_input);
  CHECK(test::read_text(shop.temp / "file") == "x");
}

TEST_CASE("an empty folder, a new one and a link to a folder can be the place", "[write]") {
  Shop shop;
  shop.add("a.blob", "image");
  fs::create_directories(shop.out());
  CHECK_FALSE(check_place(shop.out()));
  CHECK(shop.write());

  fs::create_directories(shop.temp / "real");
  fs::create_directory_symlink(shop.temp / "real", shop.temp / "link");
  CHECK(write_bundle(shop.plan, shop.content, shop.temp / "link").changed);
  CHECK(fs::is_symlink(shop.temp / "link"));
  CHECK(fs::exists(shop.temp / "real/bundle.json"));
  CHECK_FALSE(write_bundle(shop.plan, shop.content, shop.temp / "link").changed);

  CHECK(write_bundle(shop.plan, shop.content, shop.temp / "deep/er/bundle").changed);
  const fs::path before = fs::current_path();
  fs::current_path(shop.temp.path);
  CHECK(write_bundle(shop.plan, shop.content, "relative").changed);
  CHECK_FALSE(write_bundle(shop.plan, shop.content, "./relative/").changed);
  fs::current_path(before);
  CHECK(fs::exists(shop.temp / "relative/bundle.json"));
}

TEST_CASE("a publication that fails leaves the old bundle and nothing beside it", "[write]") {
  Shop shop;
  shop.add("a.blob", "image");
  REQUIRE(shop.write());
  const auto before = tree(shop.out());
  SECTION("an artifact is missing") {
    shop.add("b.blob", "x");
    fs::remove(shop.content.build_folder / "b.blob");
    CHECK(refusal(shop, shop.out()).code == ExitCode::file_system);
  }
  SECTION("an image is damaged") {
    shop.add("images/op/cuda/sm_90.cubin", "no ELF").form = "cubin";
    const Error error = refusal(shop, shop.out());
    CHECK(error.code == ExitCode::bad_artifact);
    CHECK_THAT(error.message, Catch::Contains("images/op/cuda/sm_90.cubin") &&
                                  Catch::Contains("neither ELF nor PTX"));
  }
  CHECK(tree(shop.out()) == before);
  CHECK(shop.beside().empty());
}

TEST_CASE("a publication that is interrupted leaves the old bundle and nothing beside it",
          "[write]") {
  Shop shop;
  shop.add("images/a", "old");
  REQUIRE(shop.write());
  test::write_text(shop.content.build_folder / "images/a", "new");
  // Unknown bytes stop it when they are read; known ones, with a text that changed, in the staging.
  const bool in_staging = GENERATE(false, true);
  if (in_staging) {
    shop.content.texts["report.txt"] = "first";
    REQUIRE(shop.write());
    shop.content.texts["report.txt"] = "second";
  }
  const std::string before = shop.text("bundle.json");
  {
    const test::DefaultSignals defaults;
    const InterruptWatch watch;
    ::raise(SIGTERM);
    CHECK(test::code_of([&] { shop.write(); }) == ExitCode::interrupted);
  }
  CHECK(shop.text("bundle.json") == before);
  CHECK(shop.check().empty());
  CHECK(shop.beside().empty());
  CHECK(shop.write());
}

TEST_CASE("every mismatch of what was built is told at once", "[write]") {
  Shop shop;
  shop.add("images/op/cuda/sm_80.cubin", "no ELF").form = "cubin";
  shop.add("images/op/cuda/sm_90.cubin", "").form = "cubin";
  const Error error = refusal(shop, shop.out());
  CHECK_THAT(error.message, Catch::Contains("sm_80.cubin") && Catch::Contains("sm_90.cubin"));
  CHECK_FALSE(fs::exists(shop.out()));
}

TEST_CASE("staging folders of killed builds are removed, those of living ones are not", "[write]") {
  Shop shop;
  shop.add("a.blob", "image");
  test::write_text(shop.temp / "out/.bundle.0123456789abcdef.staging/half", "x");
  test::write_text(shop.temp / "out/.other.0123456789abcdef.staging/half", "x");
  CHECK(shop.write());
  CHECK(shop.beside() == std::vector<std::string>{".other.0123456789abcdef.staging"});
}

}  // namespace
}  // namespace dsbuild::bundle
