#include <sys/stat.h>

#include "base/text.h"
#include "run/depfile.h"
#include "support/temp_folder.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("depfiles of g++, clang and nvcc are read", "[depfile]") {
  CHECK(parse_depfile("a.o: a.cpp \\\n  b.h \\\r\n c.h\n") == Names{"a.cpp", "b.h", "c.h"});
  CHECK(parse_depfile("a.o : \\\n\ta.cpp") == Names{"a.cpp"});
  CHECK(parse_depfile("sp\\ ace/a.o: sp\\ ace/my\\ h.h h\\#sh do$$lar b\\s c:d q'uote ä") ==
        Names{"sp ace/my h.h", "h#sh", "do$lar", "b\\s", "c:d", "q'uote", "ä"});
  // nvcc 13.0 leaves spaces in the target as they are.
  CHECK(parse_depfile("sp ace/o.cubin : sp\\ ace/k.cu \\\n    /usr/x.h\n") ==
        Names{"sp ace/k.cu", "/usr/x.h"});
  CHECK(parse_depfile("c:d/o.o: c:d/k.cpp") == Names{"c:d/k.cpp"});
  // -MP adds a rule without prerequisites for each header.
  CHECK(parse_depfile("a.o: a.cpp b.h\n\nb.h:\n") == Names{"a.cpp", "b.h"});
}

TEST_CASE("what is no make rule is told as such", "[depfile]") {
  CHECK_FALSE(parse_depfile("hello\n"));
  CHECK_FALSE(
      parse_depfile("\x7f"
                    "ELF\n"));
  CHECK(parse_depfile("") == Names{});
}

/// As the launcher does it after a step.
void rewrite_depfile(const fs::path& path, const fs::path& folder) {
  const auto names = read_depfile(path, folder);
  REQUIRE(names);
  write_depfile(path, folder, *names);
}

/// What the real Ninja reads from a depfile.
Names read_by_ninja(const fs::path& folder, const fs::path& depfile) {
  test::write_text(folder / "build.ninja",
                   "rule cc\n  command = cp " + depfile.string() +
                       " out.d && touch out\n  depfile = out.d\n  deps = gcc\nbuild out: cc\n");
  const auto ninja = test::find_tool({"ninja"});
  REQUIRE(ninja);
  test::run_tool({*ninja}, folder);
  Names names;
  for (const std::string& line :
       split_lines(test::run_tool({*ninja, "-t", "deps", "out"}, folder))) {
    if (line.starts_with("    ")) names.push_back(line.substr(4));
  }
  return names;
}

TEST_CASE("K09: odd names reach Ninja as names of the same files", "[depfile]") {
  const test::TempFolder temp;
  const fs::path folder = temp / "build";
  const Names odd{"sp ace", "c:d",  "do$lar",  "q'uote", "h#sh", "äö",   "a\"b", "a&b",
                  "a;b",    "a|b",  "a*b",     "a^b",    "a(b)", "a[b]", "a%b",  "a=b",
                  "a`b",    "a<b>", "back\\s", "tr ",    "x{y}", "a~b",  "a!b",  "a@b,c+d"};
  std::string depfile = "out.o:";
  const auto make_escape = [](const std::string& name) {
    return replace_all(replace_all(replace_all(name, "$", "$$"), "#", "\\#"), " ", "\\ ");
  };
  for (const std::string& name : odd) {
    test::write_text(folder / name / "h.h", "");
    depfile += " \\\n " + make_escape(name + "/h.h");
  }
  test::write_text(folder / "raw.d", depfile + "\n");
  rewrite_depfile("raw.d", folder);
  const Names names = read_by_ninja(folder, "raw.d");
  REQUIRE(names.size() == odd.size());
  for (std::size_t i = 0; i < odd.size(); ++i) {
    INFO(odd[i] << " came back as " << names[i]);
    CHECK(fs::equivalent(folder / names[i], folder / odd[i] / "h.h"));
  }
}

TEST_CASE("an odd folder above both is left out of the names", "[depfile]") {
  const test::TempFolder temp;
  const fs::path root = temp / "o'neil";
  test::write_text(root / "src" / "h.h", "");
  test::write_text(root / "build" / "raw.d", "out: " + (root / "src" / "h.h").string() + "\n");
  rewrite_depfile("raw.d", root / "build");
  CHECK(read_by_ninja(root / "build", "raw.d") == Names{"../src/h.h"});
  CHECK_FALSE(fs::exists(root / "build" / "links"));
}

TEST_CASE("a link in front of .. is followed, as compilers do and Ninja does not", "[depfile]") {
  const test::TempFolder temp;
  test::write_text(temp / "real" / "include" / "h.h", "");
  fs::create_directories(temp / "real" / "bin");
  fs::create_directories(temp / "build");
  fs::create_directory_symlink(temp / "real" / "bin", temp / "bin");
  test::write_text(temp / "build" / "raw.d", "out: " + (temp / "bin/../include/h.h").string() +
                                                 " ../real/bin/../include/h.h gone.h\n");
  rewrite_depfile("raw.d", temp / "build");
  const Names names = read_by_ninja(temp / "build", "raw.d");
  CHECK(names == Names{(temp / "real/include/h.h").string(), "../real/include/h.h", "gone.h"});
}

TEST_CASE("a file that is no depfile is told as such; a name that comes twice is read once",
          "[depfile]") {
  const test::TempFolder temp;
  test::write_text(temp / "raw.d", "nonsense\n");
  CHECK_FALSE(read_depfile("raw.d", temp.path));
  CHECK_FALSE(read_depfile("none.d", temp.path));
  test::write_text(temp / "twice.d", "a.o: b.h a.h b.h\nc.o: a.h\n");
  CHECK(read_depfile("twice.d", temp.path) == Names{"b.h", "a.h"});
}

}  // namespace
}  // namespace dsbuild::run
