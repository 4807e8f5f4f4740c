// What leaves the step cache, and what is counted.
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"
#include "run/cache_upkeep.h"
#include "support/temp_folder.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

struct Shelf {
  test::TempFolder temp;
  CachePlace place{temp / "cache", 0};

  /// Keeps `size` bytes that were last used so many hours ago.
  std::string put(char letter, std::size_t size, int hours) {
    test::write_text(temp / "made", std::string(size, letter));
    const CacheStore store(place);
    const std::string digest = store.put_file(temp / "made");
    fs::last_write_time(store.file_path(digest),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
    return digest;
  }
  bool has(const std::string& digest) const {
    return fs::exists(CacheStore(place).file_path(digest));
  }
};

TEST_CASE("the least recently used leaves first, and no more than must", "[cache]") {
  Shelf shelf;
  const std::string old = shelf.put('a', 4000, 30);
  const std::string middle = shelf.put('b', 4000, 20);
  const std::string fresh = shelf.put('c', 4000, 10);
  shelf.place.limit = 9000;
  const CacheRemoval removal = write_cache_trim(shelf.place, std::nullopt);
  CHECK(removal.files == 1);
  CHECK(removal.bytes == 4000);
  CHECK(removal.bytes_left == 8000);
  CHECK_FALSE(shelf.has(old));
  CHECK(shelf.has(middle));
  // To be taken is to be used.
  REQUIRE(CacheStore(shelf.place).take_file(middle, shelf.temp / "taken", false));
  shelf.place.limit = 4000;
  write_cache_trim(shelf.place, std::nullopt);
  CHECK(shelf.has(middle));
  CHECK_FALSE(shelf.has(fresh));
}

TEST_CASE("a limit of 0 is none; what was not used for so long leaves all the same", "[cache]") {
  Shelf shelf;
  const std::string old = shelf.put('a', 10, 30);
  const std::string fresh = shelf.put('b', 10, 1);
  CHECK(write_cache_trim(shelf.place, std::nullopt).files == 0);
  CHECK(write_cache_trim(shelf.place, std::chrono::hours(24)).files == 1);
  CHECK_FALSE(shelf.has(old));
  CHECK(shelf.has(fresh));
}

TEST_CASE("what a killed writer left leaves after a day, not before", "[cache]") {
  Shelf shelf;
  shelf.put('a', 10, 1);
  const fs::path left = store_folder(shelf.place) / "tmp/0123.tmp";
  test::write_text(left, "half");
  write_cache_trim(shelf.place, std::nullopt);
  CHECK(fs::exists(left));
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(25));
  write_cache_trim(shelf.place, std::nullopt);
  CHECK_FALSE(fs::exists(left));
}

TEST_CASE("hits and misses add up over builds until all is removed, and only what is ours is",
          "[cache]") {
  Shelf shelf;
  test::write_text(shelf.place.folder / "forms", "of another");
  write_cache_upkeep(shelf.place, 1, 0);
  CHECK(read_cache_stats(shelf.place).hits == 0);  // there is no cache yet
  shelf.put('a', 10, 1);
  CacheStore(shelf.place).put_entry(sha256("key"), "entry");
  write_cache_upkeep(shelf.place, 3, 1);
  write_cache_upkeep(shelf.place, 2, 5);
  write_cache_upkeep(shelf.place, 0, 0);
  CacheStats stats = read_cache_stats(shelf.place);
  CHECK(stats.hits == 5);
  CHECK(stats.misses == 6);
  CHECK(stats.steps == 1);
  CHECK(stats.files == 1);
  CHECK(stats.bytes == 15);
  write_cache_removal(shelf.place);
  stats = read_cache_stats(shelf.place);
  CHECK(stats.hits + stats.misses + stats.steps + stats.files + stats.bytes == 0);
  CHECK(test::read_text(shelf.place.folder / "forms") == "of another");
}

}  // namespace
}  // namespace dsbuild::run
