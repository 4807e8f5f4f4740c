// The files of the step cache, with many writers and broken files.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "run/cache_entry.h"
#include "run/cache_names.h"
#include "run/cache_store.h"
#include "support/temp_folder.h"

namespace fs = std::filesystem;
using namespace std::string_literals;

namespace dsbuild::run {
namespace {

struct Shelf {
  test::TempFolder temp;
  CachePlace place{temp / "cache", 0};
  CacheStore store{place};
  std::string key = sha256("key");

  std::string put(const std::string& text) {
    test::write_text(temp / "made", text);
    return store.put_file(temp / "made");
  }
  std::string take(const std::string& digest) {
    fs::remove(temp / "taken");
    return store.take_file(digest, temp / "taken", false) ? test::read_text(temp / "taken") : "-";
  }
  std::size_t temporaries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(store_folder(place) / "tmp"), {}));
  }
};

TEST_CASE("a file is kept by its content and comes back with its bytes and mode", "[cache]") {
  Shelf shelf;
  const std::string digest = shelf.put("some\0bytes"s);
  CHECK(digest == sha256("some\0bytes"s));
  CHECK(shelf.take(digest) == "some\0bytes"s);
  CHECK(shelf.put("some\0bytes"s) == digest);
  REQUIRE(shelf.store.take_file(digest, shelf.temp / "program", true));
  CHECK(::access((shelf.temp / "program").c_str(), X_OK) == 0);
  CHECK(shelf.temporaries() == 0);
  CHECK(shelf.take(sha256("never kept")) == "-");
}

TEST_CASE("what was taken can be edited in place without a change of what is kept", "[cache]") {
  Shelf shelf;
  const std::string digest = shelf.put("kept");
  REQUIRE(shelf.take(digest) == "kept");
  std::ofstream(shelf.temp / "taken", std::ios::in) << "EDIT";
  std::ofstream(shelf.temp / "made", std::ios::in) << "EDIT";
  CHECK(shelf.take(digest) == "kept");
}

TEST_CASE("a broken file is not taken and is dropped", "[cache]") {
  const std::string damage = GENERATE("", "ke", "kept and more", "KEPT");
  Shelf shelf;
  const std::string digest = shelf.put("kept");
  const fs::path path = shelf.store.file_path(digest);
  fs::permissions(path, fs::perms::owner_all);
  test::write_text(path, damage);
  CHECK(shelf.take(digest) == "-");
  CHECK_FALSE(fs::exists(path));
  CHECK_FALSE(fs::exists(shelf.temp / "taken"));
  CHECK(shelf.put("kept") == digest);
  CHECK(shelf.take(digest) == "kept");
}

TEST_CASE("a broken entry is not given out and is dropped; the latest used one comes first",
          "[cache]") {
  Shelf shelf;
  shelf.store.put_entry(shelf.key, "one");
  shelf.store.put_entry(shelf.key, "two");
  auto entries = shelf.store.entries(shelf.key);
  REQUIRE(entries.size() == 2);
  const auto later = fs::file_time_type::clock::now() + std::chrono::hours(1);
  const bool first_is_one = entries[0].text == "one";
  fs::last_write_time(entries[1].path, later);
  entries = shelf.store.entries(shelf.key);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].text == (first_is_one ? "two" : "one"));
  fs::permissions(entries[0].path, fs::perms::owner_all);
  test::write_text(entries[0].path, "tw");
  CHECK(shelf.store.entries(shelf.key).size() == 1);
  CHECK_FALSE(fs::exists(entries[0].path));
  CHECK(shelf.store.entries(sha256("other key")).empty());
}

TEST_CASE("a key has so many entries and no more: the least recently used one makes room",
          "[cache]") {
  Shelf shelf;
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 20; ++i) {
    shelf.store.put_entry(shelf.key, std::to_string(i));
    for (const auto& entry : shelf.store.entries(shelf.key)) {
      if (entry.text == std::to_string(i))
        fs::last_write_time(entry.path, now - std::chrono::hours(100 - i));
    }
  }
  const auto entries = shelf.store.entries(shelf.key);
  REQUIRE(entries.size() == 16);
  CHECK(entries.front().text == "19");
  CHECK(entries.back().text == "4");
}

TEST_CASE("h06: many writers at once, with the same process number or not, leave whole files",
          "[cache]") {
  Shelf shelf;
  const std::string text(300'000, 'x');
  test::write_text(shelf.temp / "source", text);
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      int status = 0;
      try {
        for (int round = 0; round < 20; ++round) {
          const std::string digest = shelf.store.put_file(shelf.temp / "source");
          shelf.store.put_entry(shelf.key, digest);
          const fs::path mine = shelf.temp / ("mine" + std::to_string(i));
          // Others remove it meanwhile: then it isn't there, never half.
          if (shelf.store.take_file(digest, mine, false) && fs::file_size(mine) != text.size())
            status = 1;
          if (round % 5 == i % 5) CacheStore::drop(shelf.store.file_path(digest));
        }
      } catch (...) {
        status = 2;
      }
      ::_exit(status);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(shelf.temporaries() == 0);
}

TEST_CASE("a writer that is killed leaves nothing that is taken", "[cache]") {
  Shelf shelf;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    test::write_text(shelf.temp / "source", std::string(1 << 20, 'y'));
    for (;;) shelf.store.put_file(shelf.temp / "source");
  }
  ::usleep(50'000);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const std::string digest = sha256(std::string(1 << 20, 'y'));
  const std::string taken = shelf.take(digest);
  CHECK((taken == "-" || taken.size() == 1 << 20));
}

TEST_CASE("an entry comes back as it was written; what is no entry is none", "[cache]") {
  CacheEntry entry;
  entry.inputs = {{"{src}/a b.h", sha256("a")}, {"/usr/include/c=d.h", sha256("b")}};
  entry.outputs = {{sha256("o"), false}, {sha256("p"), true}};
  entry.bound = {{"build", "/some=where/b"}};
  entry.said = "a.cpp:1: warning: hm\nmore\n";
  const std::string text = render_cache_entry(entry);
  CHECK(parse_cache_entry(text) == entry);
  CHECK_FALSE(parse_cache_entry(""));
  CHECK_FALSE(parse_cache_entry(text.substr(0, text.size() - 1)));
  CHECK_FALSE(parse_cache_entry("dsbuild-cached-step 2\0"s + text.substr(text.find('\0') + 1)));
  CHECK_FALSE(parse_cache_entry("dsbuild-cached-step 1\0"s));
}

TEST_CASE("names are the same in every folder that the roots may lie in", "[cache]") {
  const test::TempFolder temp;
  fs::create_directories(temp / "real/src");
  fs::create_directory_symlink(temp / "real", temp / "link");
  const std::string src = temp / "link/src";
  const CacheNames names({{"src", src}, {"build", src + "/out"}, {"root1", "/"}}, src + "/out");
  CHECK(names.name(src + "/a.h") == "{src}/a.h");
  CHECK(names.name(src + "2/a.h") == src + "2/a.h");
  CHECK(names.name("obj/a.o") == "{build}/obj/a.o");
  CHECK(names.name("../a.h") == "{src}/a.h");
  CHECK(names.name(temp / "real/src/a.h") == "{src}/a.h");
  CHECK(names.name("/usr/include/x.h") == "/usr/include/x.h");
  for (const char* name : {"{src}/a.h", "{build}/obj/a.o", "{src}", "/usr/include/x.h"}) {
    CHECK(names.name(names.path(name)) == name);
  }
  CHECK(names.path("{gone}/a") == "{gone}/a");
  CHECK(names.hide("in " + src + "/out/a.o and " + src + "/b") == "in {build}/a.o and {src}/b");
  CHECK(names.show("in {build}/a.o and {src}/b") == "in " + src + "/out/a.o and " + src + "/b");
}

}  // namespace
}  // namespace dsbuild::run
