#include "base/system.h"

#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "base/read_from.h"
#include "support/temp_folder.h"

using namespace dsbuild;
using dsbuild::test::TempFolder;
using dsbuild::test::write_text;

namespace fs = std::filesystem;

namespace {

std::string resolved(const System& system, const std::string& path) {
  const auto real = system.resolve(path);
  return real ? real->string() : "none";
}

}  // namespace

TEST_CASE("files are read through the root, whole or not at all", "[system]") {
  TempFolder root;
  write_text(root / "etc/name", "text");
  const PosixSystem system(root.path, {});
  CHECK(system.read_file("/etc/name", 100) == "text");
  CHECK(system.read_file("/etc/name", 4) == "text");
  CHECK_FALSE(system.read_file("/etc/name", 3));
  CHECK_FALSE(system.read_file("/etc/none", 100));
  CHECK_FALSE(system.read_file("/etc", 100));
  CHECK(system.host_path("/etc/name") == root / "etc/name");
  CHECK(PosixSystem().read_file("/proc/self/comm", 100));  // says size 0, and has text
}

TEST_CASE("a part of a file is found wherever it begins", "[system]") {
  TempFolder root;
  const PosixSystem system(root.path, {});
  constexpr std::size_t kPiece = 1 << 16;  // what is read at once
  for (const std::size_t before : {std::size_t{0}, kPiece - 3, kPiece, 2 * kPiece - 1}) {
    write_text(root / "file", std::string(before, 'm') + "mark and more");
    CHECK(read_from(system, "/file", "mark", 8) == "mark and");
    CHECK(read_from(system, "/file", "mark", 100) == "mark and more");
    CHECK(read_from(system, "/file", "marks", 100) == "");
  }
  CHECK_FALSE(read_from(system, "/none", "mark", 8));
  CHECK_FALSE(read_from(system, "/", "mark", 8));
}

TEST_CASE("only the last name of a path makes it a link", "[system]") {
  TempFolder root;
  write_text(root / "folder/file", "");
  fs::create_symlink("folder", root / "link");
  fs::create_symlink("/folder/file", root / "folder/to_file");
  for (const fs::path& below : {fs::path("/"), root.path}) {
    const PosixSystem system(below, {});
    const fs::path top = below == "/" ? root.path : "/";
    CHECK(system.is_link(top / "link"));
    CHECK(system.is_link(top / "folder/to_file"));
    CHECK(system.is_link(top / "link/to_file"));
    CHECK_FALSE(system.is_link(top / "link/file"));
    CHECK_FALSE(system.is_link(top / "none"));
  }
}

TEST_CASE("a pipe without a writer doesn't hang a reader", "[system]") {
  TempFolder root;
  REQUIRE(::mkfifo((root / "pipe").c_str(), 0600) == 0);
  CHECK(PosixSystem(root.path, {}).read_file("/pipe", 100).value_or("").empty());
}

TEST_CASE("folders are listed in byte order", "[system]") {
  TempFolder root;
  for (const char* name : {"b", "a", "B", ".h", "ä", "a b"}) write_text(root / "d" / name, "");
  const PosixSystem system(root.path, {});
  CHECK(system.list_folder("/d") == std::vector<std::string>{".h", "B", "a", "a b", "b", "ä"});
  CHECK(system.list_folder("/none").empty());
  CHECK(system.list_folder("/d/a").empty());
}

TEST_CASE("a status says what identifies a file", "[system]") {
  TempFolder root;
  write_text(root / "f", "abc");
  const PosixSystem system(root.path, {});
  const auto file = system.status("/f");
  REQUIRE(file);
  CHECK(file->is_file());
  CHECK_FALSE(file->is_folder());
  CHECK(file->size == 3);
  CHECK(file->inode != 0);
  CHECK_FALSE(file->executable);
  fs::permissions(root / "f", fs::perms::owner_all);
  CHECK(system.status("/f")->executable);
  CHECK(system.status("/")->is_folder());
  CHECK_FALSE(system.status("/")->executable);
  CHECK_FALSE(system.status("/none"));
  CHECK_FALSE(system.exists("/f/below"));
}

TEST_CASE("links stay inside the root, as the root itself would follow them", "[system]") {
  TempFolder root;
  write_text(root / "opt/tool-1/bin/cc", "x");
  fs::create_symlink("/opt/tool-1", root / "opt/tool");         // absolute: from the root
  fs::create_symlink("../opt/tool/bin/cc", root / "opt/link");  // relative, through another
  fs::create_symlink("../../../../../../opt", root / "up");     // more .. than folders
  fs::create_symlink("loop-b", root / "loop-a");
  fs::create_symlink("loop-a", root / "loop-b");
  fs::create_symlink("/nowhere", root / "dead");
  const PosixSystem system(root.path, {});
  CHECK(resolved(system, "/opt/tool/bin/cc") == "/opt/tool-1/bin/cc");
  CHECK(resolved(system, "/opt/link") == "/opt/tool-1/bin/cc");
  CHECK(resolved(system, "/up/link") == "/opt/tool-1/bin/cc");
  CHECK(resolved(system, "/opt/./tool//bin/../bin/cc") == "/opt/tool-1/bin/cc");
  CHECK(resolved(system, "/../../opt") == "/opt");
  CHECK(resolved(system, "/") == "/");
  CHECK(resolved(system, "/loop-a") == "none");
  CHECK(resolved(system, "/dead") == "none");
  CHECK(resolved(system, "/none") == "none");
  CHECK(resolved(system, "/opt/link/below") == "none");
  CHECK(resolved(system, "/opt/link/..") == "none");  // a file has no parent to go to
  CHECK(resolved(system, "/none/..") == "none");
  CHECK(system.read_file("/up/link", 10) == "x");
  CHECK(system.status("/opt/link")->is_file());
  CHECK(system.list_folder("/up") == std::vector<std::string>{"link", "tool", "tool-1"});
  CHECK_FALSE(system.read_file("/loop-a", 10));
  CHECK_FALSE(system.status("/dead"));
}

TEST_CASE("a link out of the root isn't followed out of it", "[system]") {
  TempFolder root;
  TempFolder outside;
  write_text(outside / "secret", "s");
  fs::create_symlink(outside / "secret", root / "secret");
  fs::create_symlink(outside.path, root / "folder");
  const PosixSystem system(root.path, {});
  CHECK_FALSE(system.read_file("/secret", 10));
  CHECK_FALSE(system.read_file("/folder/secret", 10));
  CHECK_FALSE(system.exists("/secret"));
  CHECK(system.list_folder("/folder").empty());
}

TEST_CASE("links of a random tree resolve as the kernel resolves them", "[system]") {
  TempFolder root;
  const int seed = GENERATE(1, 2, 3, 4, 5);
  INFO("seed " << seed);
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto name = [&] { return std::string(1, "abcd"[random() % 4]); };
  const auto path = [&](unsigned most) {
    std::string text = name();
    for (unsigned n = random() % most; n > 0; --n) {
      text += "/" + (random() % 4 == 0 ? std::string(random() % 2 == 0 ? ".." : ".") : name());
    }
    return text;
  };
  std::error_code ignored;
  for (int i = 0; i < 60; ++i) {
    const fs::path at = root / ("top/" + path(3));
    if (random() % 2 == 0) {
      fs::create_directories(at, ignored);
    } else if (random() % 4 == 0) {
      std::ofstream(at) << "x";
    } else {
      fs::create_symlink(path(3), at, ignored);  // relative, so both roots agree on it
    }
  }
  const PosixSystem real;
  const PosixSystem faked(root.path, {});
  int found = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = "/top/" + path(4);
    const auto kernel = real.resolve(root.path.string() + text);
    const bool inside = !kernel || kernel->string().starts_with(root.path.string() + "/top");
    if (!inside) continue;  // there a root of its own may differ
    found += kernel.has_value() ? 1 : 0;
    INFO(text);
    REQUIRE(
        (kernel ? root.path.string() + resolved(faked, text) : "none" + resolved(faked, text)) ==
        (kernel ? kernel->string() : std::string("nonenone")));
  }
  CHECK(found > 100);
}

TEST_CASE("an empty variable is not set", "[system]") {
  const PosixSystem system("/", {{"A", "1"}, {"B", ""}});
  CHECK(system.env("A") == "1");
  CHECK_FALSE(system.env("B"));
  CHECK_FALSE(system.env("C"));
}

TEST_CASE("programs are found in the folders of PATH, in order", "[system]") {
  TempFolder root;
  for (const char* name : {"/a/tool", "/b/tool", "/b/other", "/c d /tool"}) {
    write_text(root.path.string() + name, "");
    fs::permissions(root.path.string() + name, fs::perms::owner_all);
  }
  write_text(root / "a/other", "not executable");
  fs::create_directory(root / "a/folder");
  const auto find = [&](const std::string& path, const std::string& name) {
    const auto found = find_program(PosixSystem(root.path, {{"PATH", path}}), name);
    return found ? found->string() : "none";
  };
  CHECK(find("/a:/b", "tool") == "/a/tool");
  CHECK(find("/b:/a", "tool") == "/b/tool");
  CHECK(find("/a:/b", "other") == "/b/other");  // a file that can't be run is passed over
  CHECK(find("/a", "folder") == "none");
  CHECK(find("::a:/b", "tool") == "/b/tool");  // never the current folder
  CHECK(find("/c d ", "tool") == "/c d /tool");
  CHECK(find("", "tool") == "none");
}

TEST_CASE("each folder of PATH counts once", "[system]") {
  const PosixSystem system("/", {{"PATH", "/a:/b/:/a/:/b:/a/../a:relative:"}});
  CHECK(path_folders(system) == std::vector<fs::path>{"/a", "/b"});
}

TEST_CASE("a root may be written with a slash at its end, or relative", "[system]") {
  TempFolder root;
  write_text(root / "f", "x");
  CHECK(PosixSystem(root.path.string() + "/", {}).read_file("/f", 10) == "x");
  CHECK(PosixSystem(fs::relative(root.path), {}).read_file("/f", 10) == "x");
}
