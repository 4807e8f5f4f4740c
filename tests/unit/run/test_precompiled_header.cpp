// With the real compiler: only it knows whether it takes what it made.
#include "run/precompiled_header.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "support/temp_folder.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

/// A build folder with a header and a step that includes it.
struct HeaderBench {
  HeaderBench() {
    test::write_text(temp / "big.h", "#include \"part.h\"\n");
    test::write_text(temp / "part.h", "inline int part() { return 1; }\n");
    test::write_text(temp / "a.cpp", "int a() { return part(); }\n");
    step.id = "a.o";
    step.environment = {{"PATH", "/usr/bin:/bin"}};
    step.outputs = {"a.o"};
    step.depfile = "a.o.d";
    step.argv = {"/usr/bin/g++", "-include", "big.h", "-MD", "-MF",
                 "a.o.d",        "-c",       "a.cpp", "-o",  "a.o"};
    step.header = {"big.h.gch",
                   "big.h.gch.d",
                   {"/usr/bin/g++", "-MD", "-MF", "big.h.gch.d", "-x", "c++-header", "big.h", "-o",
                    "big.h.gch"}};
    log = ::open((temp / "log").c_str(), O_RDWR | O_CREAT, 0666);
    fs::current_path(temp.path);
  }
  ~HeaderBench() {
    fs::current_path("/");
    ::close(log);
  }
  double prepare() const { return PrecompiledHeader(step, temp.path).prepare(log, -1); }
  std::vector<std::string> read_files() const {
    return PrecompiledHeader(step, temp.path).read_files();
  }
  bool made() const { return fs::exists(temp / "big.h.gch"); }

  test::TempFolder temp;
  plan::StepFile step;
  int log = -1;
};

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST_CASE("a header is precompiled once, and again when a file that it read has changed",
          "[header]") {
  HeaderBench bench;
  CHECK(bench.read_files().empty());
  CHECK(bench.prepare() > 0);
  REQUIRE(bench.made());
  CHECK(has(bench.read_files(), "part.h"));
  const auto time = fs::last_write_time(bench.temp / "big.h.gch");
  CHECK(bench.prepare() == 0);
  CHECK(fs::last_write_time(bench.temp / "big.h.gch") == time);
  test::write_text(bench.temp / "part.h", "inline int part() { return 22; }\n");
  CHECK(bench.prepare() > 0);
  CHECK(fs::last_write_time(bench.temp / "big.h.gch") != time);
}

TEST_CASE("another command, or other words, make another precompiled header", "[header]") {
  HeaderBench bench;
  REQUIRE(bench.prepare() > 0);
  bench.step.header.argv.insert(bench.step.header.argv.begin() + 1, "-O1");
  CHECK(bench.prepare() > 0);
}

TEST_CASE("while somebody makes it, others do without, and nobody takes what is out of date",
          "[header]") {
  HeaderBench bench;
  REQUIRE(bench.prepare() > 0);
  const int other = ::open((bench.temp / "big.h.gch.lock").c_str(), O_RDWR);
  REQUIRE(::flock(other, LOCK_EX) == 0);
  CHECK(bench.prepare() == 0);
  CHECK(bench.made());
  // One that only looks holds a shared lock: what is out of date goes, and isn't made by two.
  REQUIRE(::flock(other, LOCK_SH) == 0);
  test::write_text(bench.temp / "part.h", "inline int part() { return 333; }\n");
  CHECK(bench.prepare() == 0);
  CHECK_FALSE(bench.made());
  ::close(other);
  CHECK(bench.prepare() > 0);
}

TEST_CASE("H06: an unfinished header has a name that no other process or host takes", "[header]") {
  HeaderBench bench;
  // Notes the name that it is asked to make, which is the last word, then makes it.
  bench.step.header.argv = {"/bin/sh", "-c",
                            "for last; do :; done; echo \"$last\" >>names; exec \"$@\"", "sh"};
  bench.step.header.argv.insert(bench.step.header.argv.end(),
                                {"/usr/bin/g++", "-MD", "-MF", "big.h.gch.d", "-x", "c++-header",
                                 "big.h", "-o", "big.h.gch"});
  REQUIRE(bench.prepare() > 0);
  REQUIRE(bench.made());
  test::write_text(bench.temp / "part.h", "inline int part() { return 22; }\n");
  REQUIRE(bench.prepare() > 0);
  std::istringstream names(test::read_text(bench.temp / "names"));
  std::string first;
  std::string second;
  names >> first >> second;
  CHECK_THAT(first, Catch::StartsWith("big.h.gch."));
  CHECK_THAT(second, Catch::StartsWith("big.h.gch."));
  CHECK(first != second);
  for (const std::string& name : {first, second})
    CHECK_FALSE(name.ends_with("." + std::to_string(::getpid())));
}

TEST_CASE("a header that can't be precompiled is no failure, and leaves nothing behind",
          "[header]") {
  HeaderBench bench;
  test::write_text(bench.temp / "part.h", "no C++\n");
  bench.prepare();
  CHECK_FALSE(bench.made());
  for (const auto& entry : fs::directory_iterator(bench.temp.path)) {
    const std::string name = entry.path().filename().string();
    INFO(name);
    CHECK((!name.starts_with("big.h.gch.") || name == "big.h.gch.lock" || name == "big.h.gch.d"));
  }
}

}  // namespace
}  // namespace dsbuild::run
