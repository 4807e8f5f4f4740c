// Publications that are killed, that meet each other, and file systems that can't exchange folders.
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <random>

#include "base/error.h"
#include "bundle/publish.h"
#include "unit/bundle/shop.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

/// Many small files, so that a kill may come in the middle.
void fill(Shop& shop, const std::string& generation) {
  shop.plan.entries.clear();
  for (int i = 0; i < 20; ++i) {
    shop.add("images/op" + std::to_string(i) + "/wh.blob", generation + std::string(1000, 'x'));
  }
  shop.content.texts["generation"] = generation;
}

TEST_CASE("a publication that is killed at any time leaves the old bundle or the new one",
          "[publish]") {
  Shop shop;
  fill(shop, "0");
  shop.write();
  // How long one takes, in a child, on this machine now.
  const auto run = [&](unsigned microseconds) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      shop.write();
      ::_exit(0);
    }
    if (microseconds != 0) {
      ::usleep(microseconds);
      ::kill(pid, SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
  };
  const auto started = std::chrono::steady_clock::now();
  fill(shop, "1");
  run(0);
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - started);
  std::mt19937 random(7);
  std::string last = "1";
  int kept = 0;
  int replaced = 0;
  for (int round = 2; round <= 40; ++round) {
    const std::string next = std::to_string(round);
    fill(shop, next);
    run(1 + static_cast<unsigned>(random() % (2 * took.count())));
    INFO("round " << round);
    REQUIRE(shop.check().empty());
    const std::string now = shop.text("generation");
    REQUIRE((now == last || now == next));
    (now == next ? replaced : kept) += 1;
    last = now;
  }
  INFO(kept << " kept, " << replaced << " replaced");
  CHECK(kept > 0);
  CHECK(replaced > 0);
  // And the next one cleans up after all of them.
  fill(shop, "last");
  CHECK(shop.write());
  CHECK(shop.check().empty());
  CHECK(shop.beside().empty());
}

TEST_CASE("H04: two builds that publish at one place at once both succeed, and it is whole",
          "[publish]") {
  Shop shop;
  std::vector<pid_t> children;
  for (const char* name : {"one", "two"}) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      int failed = 0;
      shop.content.build_folder = shop.temp / name;
      for (int i = 0; i < 20; ++i) {
        try {
          fill(shop, name + std::to_string(i));
          shop.write();
        } catch (const Error&) {
          failed = 1;
        }
      }
      ::_exit(failed);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  CHECK(shop.check().empty());
  CHECK(shop.text("generation").ends_with("19"));
  CHECK(shop.beside().empty());
}

TEST_CASE("where folders can't be exchanged they are replaced by two renames", "[publish]") {
  const test::TempFolder temp;
  test::write_text(temp / "place/bundle.json", "old");
  test::write_text(temp / "fresh/bundle.json", "new");
  replace_folder(temp / "fresh", temp / "place", false);
  CHECK(test::read_text(temp / "place/bundle.json") == "new");
  CHECK_FALSE(fs::exists(temp / "fresh"));
  CHECK(std::distance(fs::directory_iterator(temp.path), {}) == 1);
}

TEST_CASE("an exchange leaves the old folder under the new one's name", "[publish]") {
  const test::TempFolder temp;
  test::write_text(temp / "place/bundle.json", "old");
  test::write_text(temp / "fresh/bundle.json", "new");
  replace_folder(temp / "fresh", temp / "place");
  CHECK(test::read_text(temp / "place/bundle.json") == "new");
  CHECK(test::read_text(temp / "fresh/bundle.json") == "old");
}

/// Runs `body` in a child with mounts of its own. Its exit code, or nothing where this user may not
/// mount (99).
std::optional<int> with_mounts(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const bool allowed = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    ::_exit(allowed ? body() : 99);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 99) return std::nullopt;
  return WEXITSTATUS(status);
}

TEST_CASE("a bundle in a lower layer of a container's file system is replaced", "[publish]") {
  Shop shop;
  fill(shop, "old");
  const fs::path base = shop.temp / "layers";
  for (const char* name : {"lower", "upper", "work", "merged"}) fs::create_directories(base / name);
  write_bundle(shop.plan, shop.content, base / "lower/out/bundle");
  fill(shop, "new");
  const auto code = with_mounts([&] {
    // upper and work need a file system that can hold an overlay.
    if (::mount("tmpfs", (base / "work").c_str(), "tmpfs", 0, "") != 0) return 99;
    fs::create_directories(base / "work/upper");
    fs::create_directories(base / "work/work");
    const std::string options = "lowerdir=" + (base / "lower").string() +
                                ",upperdir=" + (base / "work/upper").string() +
                                ",workdir=" + (base / "work/work").string();
    if (::mount("overlay", (base / "merged").c_str(), "overlay", 0, options.c_str()) != 0)
      return 99;
    const fs::path out = base / "merged/out/bundle";
    try {
      write_bundle(shop.plan, shop.content, out);
    } catch (const Error&) {
      return 1;
    }
    const bool whole = check_bundle(out, read_bundle(out)).empty();
    const bool alone = std::distance(fs::directory_iterator(out.parent_path()), {}) == 1;
    return whole && alone && test::read_text(out / "generation") == "new" ? 0 : 2;
  });
  if (!code) {
    WARN("skipped: this user may not mount, or there is no overlayfs");
    return;
  }
  CHECK(*code == 0);
}

TEST_CASE("H15: a place that is a mount point is refused with what to do, before anything is made",
          "[publish]") {
  Shop shop;
  fill(shop, "new");
  for (const bool bind : {false, true}) {
    const auto code = with_mounts([&] {
      const fs::path place = shop.temp / "volume";
      fs::create_directories(place);
      fs::create_directories(shop.temp / "host");
      const int failed =
          bind ? ::mount((shop.temp / "host").c_str(), place.c_str(), nullptr, MS_BIND, nullptr)
               : ::mount("tmpfs", place.c_str(), "tmpfs", 0, "");
      if (failed != 0) return 99;
      try {
        write_bundle(shop.plan, shop.content, place);
        return 1;
      } catch (const Error& error) {
        if (error.code != ExitCode::bad_input) return 2;
        if (error.hint.find((place / "bundle").string()) == std::string::npos) return 3;
      }
      if (std::distance(fs::directory_iterator(shop.temp.path), {}) != 3)
        return 4;  // nothing beside
      // What is advised works, although the folder above is on another file system (EXDEV).
      write_bundle(shop.plan, shop.content, place / "bundle");
      return read_bundle(place / "bundle").files.empty() ? 5 : 0;
    });
    if (!code) {
      WARN("skipped: this user may not mount");
      return;
    }
    INFO((bind ? "bind mount" : "tmpfs"));
    CHECK(*code == 0);
  }
}

}  // namespace
}  // namespace dsbuild::bundle
