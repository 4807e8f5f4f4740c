// When a step's result is known, and when it had better not be.
#include <fcntl.h>
#include <unistd.h>

#include <functional>

#include "base/files.h"
#include "base/hash.h"
#include "run/cache_upkeep.h"
#include "run/depfile.h"
#include "run/log.h"
#include "run/step_cache.h"
#include "unit/run/workshop.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

/// A checkout with a source and a header, and a compiler that puts both into the object.
struct Checkout {
  explicit Checkout(const CachePlace& cache, const fs::path& folder)
      : place(cache), src(folder / "src"), build(folder / "build") {
    write("a.cpp", "source ");
    write("a.h", "header");
    fs::create_directories(build / "obj");
    step.id = "obj/a.o";
    step.argv = {"/bin/cc"};
    step.outputs = {"obj/a.o"};
    step.depfile = "obj/a.d";
    step.hash = sha256("hash");
    step.inputs = {src / "a.cpp"};
    step.roots = {{"src", src}, {"build", build}};
  }

  /// Long enough before the next step that the clock of the file system tells them apart.
  void write(const std::string& name, const std::string& text) const {
    test::write_text(src / name, text);
    ::usleep(20'000);
  }
  /// Runs the step; true when its result came from the cache.
  bool hits() {
    fs::remove(build / "obj/a.o");
    StepCache cache(place, step, build);
    const int log = ::open((build / "log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const bool taken = cache.usable() && cache.take(log);
    ::close(log);
    if (taken) return true;
    test::write_text(build / "obj/a.o",
                     test::read_text(src / "a.cpp") + test::read_text(src / "a.h") + more);
    if (meanwhile) meanwhile();
    if (cache.usable()) {
      remark = cache.keep({src / "a.cpp", src / "a.h"}, "warning in " + (src / "a.cpp").string());
    }
    return false;
  }
  std::string object() const { return test::read_text(build / "obj/a.o"); }

  CachePlace place;
  fs::path src;
  fs::path build;
  plan::StepFile step;
  std::string more;
  std::string remark;
  std::function<void()> meanwhile;
};

struct Town {
  test::TempFolder temp;
  CachePlace place{temp / "cache", 0};
  Checkout one{place, temp / "one"};
};

TEST_CASE("another checkout takes what the first one made, with depfile and warnings",
          "[step_cache]") {
  Town town;
  CHECK_FALSE(town.one.hits());
  CHECK(town.one.hits());
  CHECK(town.one.object() == "source header");
  Checkout two(town.place, town.temp / "two/deeper");
  REQUIRE(two.hits());
  CHECK(two.object() == "source header");
  CHECK(read_depfile("obj/a.d", two.build) ==
        std::vector<std::string>{two.src / "a.cpp", two.src / "a.h"});
  CHECK(test::read_text(two.build / "log") == "warning in " + (two.src / "a.cpp").string());
}

TEST_CASE(
    "h12: command, environment, toolchain, source and header each make another result; a new "
    "time makes none",
    "[step_cache]") {
  Town town;
  Checkout& one = town.one;
  REQUIRE_FALSE(one.hits());
  REQUIRE(one.hits());
  SECTION("what the hash covers") {
    one.step.hash = sha256("another");
    CHECK_FALSE(one.hits());
  }
  SECTION("the source") {
    one.write("a.cpp", "other ");
    CHECK_FALSE(one.hits());
    CHECK(one.object() == "other header");
  }
  SECTION("a header, and the state before it is still known") {
    one.write("a.h", "changed");
    CHECK_FALSE(one.hits());
    CHECK(one.object() == "source changed");
    one.write("a.h", "header");
    CHECK(one.hits());
    CHECK(one.object() == "source header");
    one.write("a.h", "changed");
    CHECK(one.hits());
    CHECK(one.object() == "source changed");
  }
  SECTION("a header that is gone") {
    fs::remove(one.src / "a.h");
    CHECK_FALSE(one.hits());
  }
  SECTION("only times") {
    for (const char* name : {"a.cpp", "a.h"}) {
      fs::last_write_time(one.src / name, fs::file_time_type::clock::now());
    }
    CHECK(one.hits());
  }
}

TEST_CASE("an output that names a folder is good in that folder alone", "[step_cache]") {
  Town town;
  town.one.more = town.one.src.string() + "/a.cpp";
  CHECK_FALSE(town.one.hits());
  CHECK(town.one.hits());
  Checkout two(town.place, town.temp / "two");
  CHECK_FALSE(two.hits());
  CHECK(two.object() == "source header");
  CHECK(two.hits());
  CHECK(town.one.hits());
}

TEST_CASE("a result is not kept when a file changed while the command ran", "[step_cache]") {
  Town town;
  const std::string name = GENERATE("a.cpp", "a.h");
  town.one.meanwhile = [&] { test::write_text(town.one.src / name, "edited"); };
  CHECK_FALSE(town.one.hits());
  CHECK(town.one.remark == "");
  CHECK_FALSE(fs::exists(store_folder(town.place)));
}

TEST_CASE("a step that doesn't tell what it reads is not kept; one that reads its inputs alone is",
          "[step_cache]") {
  Town town;
  town.one.step.depfile.clear();
  CHECK_FALSE(town.one.hits());
  CHECK_FALSE(town.one.hits());
  town.one.step.inputs_only = true;
  CHECK_FALSE(town.one.hits());
  CHECK(town.one.hits());
  CHECK_FALSE(fs::exists(town.one.build / "obj/a.d"));
}

TEST_CASE("an output of more than a fifth of the cache is not kept", "[step_cache]") {
  Town town;
  town.one.place.limit = 1000;
  town.one.more = std::string(200, 'x');
  CHECK_FALSE(town.one.hits());
  CHECK_FALSE(town.one.hits());
  town.one.place.limit = 10'000;
  CHECK_FALSE(town.one.hits());
  CHECK(town.one.hits());
}

TEST_CASE("h11: what vanished from the cache, or was damaged there, is made again",
          "[step_cache]") {
  Town town;
  REQUIRE_FALSE(town.one.hits());
  const fs::path file = CacheStore(town.place).file_path(sha256("source header"));
  SECTION("gone") {
    fs::remove(file);
  }
  SECTION("cut off") {
    fs::permissions(file, fs::perms::owner_all);
    fs::resize_file(file, 3);
  }
  SECTION("the entries") {
    fs::remove_all(store_folder(town.place) / "keys");
  }
  SECTION("all of it") {
    write_cache_removal(town.place);
  }
  CHECK_FALSE(town.one.hits());
  CHECK(town.one.object() == "source header");
  CHECK(town.one.hits());
}

TEST_CASE("a folder that can't be written is told, and the result is there", "[step_cache]") {
  Town town;
  test::write_text(town.temp / "file", "");
  town.one.place.folder = town.temp / "file";
  CHECK_FALSE(town.one.hits());
  CHECK_THAT(town.one.remark, Catch::StartsWith((town.temp / "file").string() + ": ") &&
                                  Catch::Contains("Not a directory"));
  CHECK(town.one.object() == "source header");
}

TEST_CASE("a build tells its steps of the cache by a variable", "[step_cache]") {
  const CachePlace place{"/a:b/c d", 5'000'000'000};
  CHECK(parse_cache_place(render_cache_place(place)).folder == place.folder);
  CHECK(parse_cache_place(render_cache_place(place)).limit == place.limit);
  for (const char* text : {"", "/folder", "x:/folder", ":/folder"}) {
    CHECK_FALSE(parse_cache_place(text).on());
  }
}

TEST_CASE("a build counts hits and misses, and starts no command for a hit", "[step_cache]") {
  Workshop shop;
  shop.options.cache = {shop.temp / "cache", 0};
  plan::Step& step = shop.add("a.o", "echo x >>count; cat h >\"$1\"; echo 'a.o: h' >a.d; echo hm");
  step.depfile = "a.d";
  test::write_text(shop.folder / "h", "header");
  shop.add("b", "cp \"$2\" \"$1\"", {"a.o"});
  ::usleep(20'000);
  BuildOutcome outcome = shop.build();
  CHECK(outcome.ok);
  CHECK(outcome.cache_hits == 0);
  CHECK(outcome.cache_misses == 1);  // the second one tells nothing of what it reads
  outcome = shop.build();
  CHECK(outcome.nothing_to_do);
  CHECK(outcome.cache_hits + outcome.cache_misses == 0);
  fs::remove(shop.folder / "a.o");
  outcome = shop.build();
  CHECK(outcome.ok);
  CHECK(outcome.steps_run == 2);
  CHECK(outcome.cache_hits == 1);
  CHECK(shop.text("count") == "x\n");
  CHECK(shop.text("b") == "header");
  CHECK(read_log(shop.folder / log_path("a.o")).output == "hm\n");
  // Ninja knows the headers of a result from the cache.
  ::usleep(20'000);
  test::write_text(shop.folder / "h", "changed");
  outcome = shop.build();
  CHECK(outcome.cache_misses == 1);
  CHECK(shop.text("b") == "changed");
  const CacheStats stats = read_cache_stats(shop.options.cache);
  CHECK(stats.hits == 1);
  CHECK(stats.misses == 2);
}

TEST_CASE(
    "scans complete a depfile: a header that only they name rebuilds its step, and is part "
    "of what the cache knows it by",
    "[step_cache]") {
  Workshop shop;
  shop.options.cache = {shop.temp / "cache", 0};
  // As clang does for HIP: what only a device's pass reads is not in the depfile.
  plan::Step& step =
      shop.add("fat.o", "cat host.h one.h two.h >\"$1\"; echo 'fat.o: host.h' >fat.d");
  step.depfile = "fat.d";
  for (const std::string arch : {"one", "two"}) {
    step.scans.push_back(
        {{"/bin/sh", "-c", "echo 'fat.o: host.h " + arch + ".h' >" + arch + ".d"}, arch + ".d"});
  }
  for (const char* name : {"host", "one", "two"}) {
    test::write_text(shop.folder / (name + std::string(".h")), name);
  }
  ::usleep(20'000);
  REQUIRE(shop.build().ok);
  CHECK(shop.build().nothing_to_do);
  ::usleep(20'000);
  test::write_text(shop.folder / "two.h", "2");
  CHECK(shop.build().cache_misses == 1);
  CHECK(shop.text("fat.o") == "hostone2");
  ::usleep(20'000);
  test::write_text(shop.folder / "two.h", "two");
  CHECK(shop.build().cache_hits == 1);
  CHECK(shop.text("fat.o") == "hostonetwo");
  CHECK_FALSE(shop.has("one.d"));

  shop.plan.steps[0].scans[1].argv = {"/bin/false"};
  const BuildOutcome outcome = shop.build();
  REQUIRE(outcome.failures.size() == 1);
  CHECK(outcome.failures[0].cause == "looking for headers: exit status 1");
  CHECK_FALSE(shop.has("fat.o"));
}

TEST_CASE("f1: code and headers that only one of nvcc's archs reads never come back stale",
          "[step_cache]") {
  const std::string nvcc = test::find_tool({"nvcc"}).value_or("/usr/local/cuda/bin/nvcc");
  if (!fs::exists(nvcc)) {
    WARN("skipped: no nvcc on this machine");
    return;
  }
  Workshop shop;
  shop.options.cache = {shop.temp / "cache", 0};
  plan::Step& step = shop.add("fat.o", "", {"fat.cu"});
  step.argv = {nvcc,
               "-c",
               "-objtemp",
               "-gencode",
               "arch=compute_80,code=sm_80",
               "-gencode",
               "arch=compute_90,code=sm_90",
               "-MD",
               "-MF",
               "fat.d",
               "fat.cu",
               "-o",
               "fat.o"};
  step.depfile = "fat.d";
  const auto write = [&](const std::string& value, const std::string& code) {
    test::write_text(shop.folder / "only90.h", "#define VALUE " + value + "\n");
    test::write_text(shop.folder / "fat.cu",
                     "#if __CUDA_ARCH__ >= 900\n#include \"only90.h\"\n"
                     "__global__ void k(int* out) { *out = VALUE + " +
                         code + "; }\n#else\n__global__ void k(int* out) { *out = 80; }\n#endif\n");
    ::usleep(20'000);
  };
  const auto object = [&] {
    const BuildOutcome outcome = shop.build();
    REQUIRE(outcome.ok);
    return std::pair(outcome.cache_hits, shop.text("fat.o"));
  };
  write("1001", "1");
  const auto [none, first] = object();
  CHECK(none == 0);
  write("2002", "1");
  const auto [after_header, second] = object();
  CHECK(after_header == 0);
  CHECK(second != first);
  write("2002", "7");
  const auto [after_code, third] = object();
  CHECK(after_code == 0);
  CHECK(third != second);
  write("1001", "1");
  CHECK(object() == std::pair(std::size_t{1}, first));
}

TEST_CASE("f2: a header that only one AMD target reads is seen through the scans of its recipe",
          "[step_cache]") {
  const auto clang = test::find_tool({"clang++-19", "clang++-15"});
  if (!clang) {
    WARN("skipped: no clang for HIP on this machine");
    return;
  }
  Workshop shop;
  shop.options.cache = {shop.temp / "cache", 0};
  // The driver's passes one by one, since the bundler that joins them may be missing: the host's
  // comes last and writes the depfile.
  const std::string hip = *clang + " -x hip -nogpulib -nogpuinc ";
  std::string script;
  for (const std::string arch : {"gfx908", "gfx90a"}) {
    script += hip + "--cuda-device-only --no-gpu-bundle-output --offload-arch=" + arch +
              " -c fat.hip -o " + arch + ".co && ";
  }
  script += hip + "--cuda-host-only -MD -MF fat.d -c fat.hip -o host.o && " +
            "cat host.o gfx908.co gfx90a.co >\"$1\"";
  plan::Step& step = shop.add("fat.o", script, {"fat.hip"});
  step.depfile = "fat.d";
  test::write_text(shop.folder / "fat.hip",
                   "#ifdef __gfx90a__\n#include \"only90a.h\"\n#else\n#define VALUE 908\n#endif\n"
                   "#ifdef __HIP_DEVICE_COMPILE__\n"
                   "__attribute__((global)) void k(int* out) { *out = VALUE; }\n#endif\n"
                   "int host() { return 1; }\n");
  const auto write = [&](const std::string& value) {
    test::write_text(shop.folder / "only90a.h", "#define VALUE " + value + "\n");
    ::usleep(20'000);
  };
  write("901");
  REQUIRE(shop.build().ok);
  write("902");
  CHECK(shop.build().nothing_to_do);  // without scans: this is what they are for

  for (const std::string arch : {"gfx908", "gfx90a"}) {
    step.scans.push_back({{*clang, "-x", "hip", "-nogpulib", "-nogpuinc", "--cuda-device-only",
                           "--offload-arch=" + arch, "-M", "-MF", arch + ".d", "fat.hip"},
                          arch + ".d"});
  }
  write("901");
  REQUIRE(shop.build().ok);
  const std::string first = shop.text("fat.o");
  CHECK(shop.build().nothing_to_do);
  write("902");
  CHECK(shop.build().cache_misses == 1);
  CHECK(shop.text("fat.o") != first);
  write("901");
  CHECK(shop.build().cache_hits == 1);
  CHECK(shop.text("fat.o") == first);
}

}  // namespace
}  // namespace dsbuild::run
