#include "base/files.h"

#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "base/error.h"
#include "support/temp_folder.h"

using namespace dsbuild;
using dsbuild::test::read_text;
using dsbuild::test::TempFolder;
using dsbuild::test::write_text;

namespace fs = std::filesystem;

namespace {

/// The error of `action`, which must be one of the file system.
template <typename Action>
Error file_error(Action action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::file_system);
    return error;
  }
  FAIL("nothing was thrown");
  throw;
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a file is written whole, with its folders, and nothing is left beside it", "[files]") {
  TempFolder folder;
  write_file(folder / "a/b/c.txt", "one");
  write_file(folder / "a/b/c.txt", "two");
  CHECK(read_text(folder / "a/b/c.txt") == "two");
  CHECK(entries(folder / "a/b") == 1);
  struct stat st {};
  REQUIRE(::stat((folder / "a/b/c.txt").c_str(), &st) == 0);
  CHECK((st.st_mode & 0111) == 0);
  write_file(folder / "run", "#!/bin/sh\n", true);
  REQUIRE(::stat((folder / "run").c_str(), &st) == 0);
  CHECK((st.st_mode & 0100) != 0);
}

TEST_CASE("a file without change keeps its time and is not written", "[files]") {
  TempFolder folder;
  const fs::path path = folder / "f";
  CHECK(write_file_if_changed(path, "one"));
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(path, old);
  CHECK_FALSE(write_file_if_changed(path, "one"));
  CHECK(fs::last_write_time(path) == old);
  CHECK(write_file_if_changed(path, "on"));
  CHECK(write_file_if_changed(path, "one\0two" + std::string(1, '\0')));
  CHECK(write_file_if_changed(path, ""));
  CHECK_FALSE(write_file_if_changed(path, ""));
  CHECK(read_text(path).empty());
}

TEST_CASE("only regular files are read, whole, and nothing is waited for", "[files]") {
  TempFolder folder;
  const std::string bytes = std::string("a\0b\r\n", 5) + std::string(200'000, 'x');
  write_text(folder / "file", bytes);
  fs::create_symlink("file", folder / "link");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(read_file(folder / "file") == bytes);
  CHECK(read_file(folder / "link") == bytes);
  write_text(folder / "empty", "");
  CHECK(read_file(folder / "empty") == "");
  CHECK_FALSE(read_file(folder / "none"));
  CHECK_FALSE(read_file(folder.path));
  CHECK_FALSE(read_file(folder / "pipe"));
}

TEST_CASE("a reader never sees half a file", "[files]") {
  TempFolder folder;
  const fs::path path = folder / "f";
  const std::string a(100'000, 'a');
  const std::string b(100'000, 'b');
  write_file(path, a);
  std::jthread writer([&](const std::stop_token& stop) {
    for (bool odd = true; !stop.stop_requested(); odd = !odd) write_file(path, odd ? b : a);
  });
  for (int i = 0; i < 200; ++i) {
    const auto text = read_file(path);
    REQUIRE((text == a || text == b));
  }
}

TEST_CASE("what the file system refuses is an error that names the path", "[files]") {
  TempFolder folder;
  write_text(folder / "file", "");
  fs::create_directory(folder / "folder");
  const auto below = (folder / "file/x").string();
  CHECK(file_error([&] { write_file(below, "x"); }).where == (folder / "file").string());
  CHECK(file_error([&] { write_folder(folder / "file"); }).where == (folder / "file").string());
  CHECK(file_error([&] { write_file(folder / "folder", "x"); }).where ==
        (folder / "folder").string());
  CHECK(file_error([&] { write_file_if_changed(folder / "folder", "x"); }).where ==
        (folder / "folder").string());
  CHECK(file_error([&] { write_copy(folder / "none", folder / "to"); }).where ==
        (folder / "none").string());
  CHECK(entries(folder.path) == 2);  // no temporary file is left
}

TEST_CASE("an error number becomes what a person can do", "[files]") {
  const Error full = file_error([] { throw_file_error("can't write", "/x", ENOSPC); });
  CHECK(full.message == "can't write: No space left on device");
  CHECK(full.where == "/x");
  CHECK(full.hint.find("free some space") != std::string::npos);
  CHECK(file_error([] { throw_file_error("a", "/x", EROFS); }).hint.find("read-only") !=
        std::string::npos);
  CHECK(file_error([] { throw_file_error("a", "/x", EIO); }).hint.empty());
}

TEST_CASE("staging folders are new, and beside what they will become", "[files]") {
  TempFolder folder;
  const fs::path target = folder / "out/bundle";
  const fs::path first = write_staging_folder(target);
  const fs::path second = write_staging_folder(target);
  CHECK(first != second);
  CHECK(first.parent_path() == target.parent_path());
  CHECK(fs::is_directory(first));
  CHECK(first.filename().string().starts_with(".bundle."));
  // The same with a slash at the end, as people and shells write folders.
  CHECK(write_staging_folder(folder / "out/bundle/").parent_path() == target.parent_path());
}

TEST_CASE("a copy has the bytes and the executable bit, and replaces what was there", "[files]") {
  TempFolder folder;
  write_file(folder / "tool", "#!/bin/sh\n", true);
  write_copy(folder / "tool", folder / "deep/er/tool");
  CHECK(read_text(folder / "deep/er/tool") == "#!/bin/sh\n");
  CHECK(::access((folder / "deep/er/tool").c_str(), X_OK) == 0);
  write_file(folder / "tool", "new", true);
  write_copy(folder / "tool", folder / "deep/er/tool");
  CHECK(read_text(folder / "deep/er/tool") == "new");
}

TEST_CASE("H06: a link is replaced by a name of its own, and what can't be made leaves nothing",
          "[files]") {
  TempFolder folder;
  write_text(folder / "link.new", "somebody's file");
  write_link(folder / "link", "/bin/true");
  write_link(folder / "link", "/bin/false");
  CHECK(fs::read_symlink(folder / "link") == "/bin/false");
  CHECK(read_text(folder / "link.new") == "somebody's file");
  fs::create_directories(folder / "full" / "of");
  CHECK(file_error([&] { write_link(folder / "full", "/bin/true"); }).where ==
        (folder / "full").string());
  CHECK(entries(folder.path) == 3);
}

TEST_CASE("removing takes trees and links, not what links point to", "[files]") {
  TempFolder folder;
  write_text(folder / "tree/a/b", "");
  write_text(folder / "kept/c", "");
  fs::create_directory_symlink(folder / "kept", folder / "tree/link");
  write_removal(folder / "tree");
  CHECK_FALSE(fs::exists(folder / "tree"));
  CHECK(fs::exists(folder / "kept/c"));
  write_removal(folder / "tree");  // a missing one is no error
}
