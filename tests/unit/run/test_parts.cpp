// A compiler that runs a program for each arch: what it ran before it needn't run again, and
// whatever is odd, it does what it would have done.
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "run/cache_upkeep.h"
#include "run/log.h"
#include "run/parts.h"
#include "unit/run/workshop.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

// A driver in the manner of nvcc: its configuration says where its programs are, its temporary
// files are named after the object. It gives each program a text with the list of archs in a name.
constexpr const char* kDriver = R"sh(#!/bin/sh
here=$(dirname "$0")
. "$here/cc.conf"
PATH=$programs:$PATH
out=$1; depfile=$2; list=$3; shift 3
echo "$out: text" >"$depfile"
for arch; do
    echo "LIB_$list $arch $(cat "$here/../layout" text)" >"$out.$arch.in"
    device -arch "$arch" "$out.$arch.in" -o "$out.$arch.mid" || exit
    assemble "$out.$arch.mid" -o "$out.$arch.bin" || exit
done
cat "$out".*.bin >"$out"
rm "$out".*
)sh";
constexpr const char* kDevice = R"sh(#!/bin/sh
echo "device $2" >>calls
grep -q broken "$3" && { echo "error: broken"; exit 3; }
echo "warning of $2"
sed "s/^/mid /" "$3" >"$5"
)sh";
constexpr const char* kAssemble = R"sh(#!/bin/sh
echo "assemble" >>calls
sed "s/^/bin /" "$1" >"$3"
)sh";

class ArchShop : public Workshop {
 public:
  ArchShop() {
    options.cache = {temp / "cache", 0};
    program("bin/cc", kDriver);
    program("tools/device", kDevice);
    program("tools/assemble", kAssemble);
    test::write_text(temp / "bin/cc.conf", "programs=$here/../tools\n");
    test::write_text(temp / "layout", "");  // beside the compiler's folder
    write("source");
    subprograms.names = {"assemble", "device"};
    subprograms.config = "cc.conf";
    subprograms.own_folder = "$here";
    subprograms.lines = {"programs={stand_ins}:$programs"};
    subprograms.identifiers = "\\bLIB(_[0-9]+)+\\b";
  }

  void program(const std::string& name, const std::string& text) {
    test::write_text(temp / name, text);
    ::chmod((temp / name).c_str(), 0755);
  }
  void write(const std::string& text) {
    test::write_text(folder / "text", text);
    ::usleep(20'000);
  }
  /// Compiles for these archs into a folder of their own; returns what was run.
  std::string compile(const std::vector<std::string>& archs) {
    std::string list;
    for (const std::string& arch : archs) list += (list.empty() ? "" : "_") + arch;
    plan.steps.clear();
    object = "obj-" + list + "/a.o";
    plan::Step& step = add(object, "");
    step.argv = {temp / "bin/cc", object, "a.d", list};
    step.argv.insert(step.argv.end(), archs.begin(), archs.end());
    step.depfile = "a.d";
    step.toolchain_identity = identity;
    if (with_parts) step.subprograms = std::make_shared<const manifest::Subprograms>(subprograms);
    fs::remove(folder / "calls");
    fs::remove(folder / object);
    outcome = build();
    return has("calls") ? text("calls") : "";
  }
  std::string made() const { return text(object); }
  std::string said() const { return read_log(folder / log_path(object)).output; }

  manifest::Subprograms subprograms;
  bool with_parts = true;
  std::string identity = "cc 1";
  std::string object;
  BuildOutcome outcome;
};

TEST_CASE("one more arch runs what is for that arch alone, and makes the same", "[parts]") {
  ArchShop shop;
  CHECK(shop.compile({"80", "90"}) == "device 80\nassemble\ndevice 90\nassemble\n");
  REQUIRE(shop.outcome.ok);
  CHECK(shop.outcome.parts_taken == 0);
  CHECK(shop.outcome.parts_made == 4);
  CHECK(shop.made() == "bin mid LIB_80_90 80 source\nbin mid LIB_80_90 90 source\n");
  CHECK(shop.compile({"80", "90", "120"}) == "device 120\nassemble\n");
  REQUIRE(shop.outcome.ok);
  CHECK(shop.outcome.parts_taken == 4);
  CHECK(shop.outcome.parts_made == 2);
  const std::string made = shop.made();
  CHECK(shop.said() == "warning of 80\nwarning of 90\nwarning of 120\n");
  CHECK_FALSE(shop.has(log_path(shop.object).native() + ".parts"));
  const CacheStats stats = read_cache_stats(shop.options.cache);
  CHECK(stats.steps == 2);
  CHECK(stats.parts == 6);
  CHECK(stats.misses == 2);

  shop.options.cache = {};
  CHECK(shop.compile({"80", "90", "120"}) ==
        "device 80\nassemble\ndevice 90\nassemble\ndevice 120\nassemble\n");
  CHECK(shop.made() == made);
}

TEST_CASE("contents, words, toolchain and archs of a part each make another", "[parts]") {
  ArchShop shop;
  REQUIRE(shop.compile({"80"}) == "device 80\nassemble\n");
  SECTION("another text") {
    shop.write("other");
    CHECK(shop.compile({"80", "90"}) == "device 80\nassemble\ndevice 90\nassemble\n");
    CHECK(shop.made() == "bin mid LIB_80_90 80 other\nbin mid LIB_80_90 90 other\n");
  }
  SECTION("another toolchain") {
    shop.identity = "cc 2";
    CHECK(shop.compile({"80", "90"}) == "device 80\nassemble\ndevice 90\nassemble\n");
  }
  SECTION("names that aren't said to mean the same") {
    shop.subprograms.identifiers.clear();
    CHECK(shop.compile({"80", "90"}) == "device 80\nassemble\ndevice 90\nassemble\n");
    CHECK(shop.made() == "bin mid LIB_80_90 80 source\nbin mid LIB_80_90 90 source\n");
  }
}

TEST_CASE("a result that holds a list of archs in binary form is for that list alone", "[parts]") {
  ArchShop shop;
  shop.program("tools/assemble", R"sh(#!/bin/sh
echo assemble >>calls
{ cat "$1"; printf '\0'; } >"$3"
)sh");
  REQUIRE(shop.compile({"80"}) == "device 80\nassemble\n");
  CHECK(shop.compile({"80", "90"}) == "assemble\ndevice 90\nassemble\n");
  CHECK(shop.made() == std::string("mid LIB_80_90 80 source\n\0mid LIB_80_90 90 source\n\0", 50));
  shop.write("other");
  shop.compile({"80", "90"});
  shop.write("source");
  fs::remove_all(store_folder(shop.options.cache) / kStepEntries);
  CHECK(shop.compile({"80", "90"}).empty());
  CHECK(shop.outcome.parts_taken == 4);
}

TEST_CASE("a compiler that isn't as it is described does what it does", "[parts]") {
  ArchShop shop;
  SECTION("no configuration beside it") {
    shop.subprograms.config = "missing.conf";
  }
  SECTION("one that doesn't lead to the stand-ins") {
    shop.subprograms.lines = {"# {stand_ins}"};
  }
  SECTION("one that it can't read then") {
    shop.subprograms.lines = {"exit 7 # {stand_ins}"};
  }
  SECTION("stand-ins that find no program") {
    shop.subprograms.lines = {"programs={stand_ins}"};
  }
  SECTION("temporary files with names of their own") {
    std::string driver = kDriver;
    for (auto at = driver.find("$out."); at != std::string::npos; at = driver.find("$out."))
      driver.replace(at, 5, "$out-");
    driver.replace(driver.find("\"$out\".*.bin"), 12, "\"$out\"-*.bin");
    driver.replace(driver.find("\"$out\".*"), 8, "\"$out\"-*");
    shop.program("bin/cc", driver);
  }
  shop.compile({"80", "90"});
  REQUIRE(shop.outcome.ok);
  CHECK(shop.made() == "bin mid LIB_80_90 80 source\nbin mid LIB_80_90 90 source\n");
  CHECK(shop.said() == "warning of 80\nwarning of 90\n");
  CHECK(read_cache_stats(shop.options.cache).parts == 0);
}

TEST_CASE("a program that fails is run once, and nothing of it is kept", "[parts]") {
  ArchShop shop;
  shop.write("broken");
  CHECK(shop.compile({"80", "90"}) == "device 80\n");
  REQUIRE(shop.outcome.failures.size() == 1);
  CHECK(shop.outcome.failures[0].cause == "exit status 3");
  CHECK(shop.outcome.failures[0].first_error == "error: broken");
  CHECK(read_cache_stats(shop.options.cache).parts == 0);
}

TEST_CASE("what is damaged in the cache is made anew", "[parts]") {
  ArchShop shop;
  REQUIRE(shop.compile({"80"}) == "device 80\nassemble\n");
  const fs::path files = store_folder(shop.options.cache) / "files";
  SECTION("gone") {
    fs::remove_all(files);
  }
  SECTION("cut off") {
    for (const auto& file : fs::recursive_directory_iterator(files)) {
      if (!file.is_regular_file()) continue;
      fs::permissions(file.path(), fs::perms::owner_all);
      fs::resize_file(file.path(), 3);
    }
  }
  CHECK(shop.compile({"80", "90"}) == "device 80\nassemble\ndevice 90\nassemble\n");
  CHECK(shop.made() == "bin mid LIB_80_90 80 source\nbin mid LIB_80_90 90 source\n");
}

}  // namespace
}  // namespace dsbuild::run
