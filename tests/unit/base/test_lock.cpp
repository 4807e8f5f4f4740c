#include "base/lock.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>
#include <thread>

#include "base/error.h"
#include "support/interrupts.h"
#include "support/temp_folder.h"

using namespace dsbuild;
using dsbuild::test::read_text;
using dsbuild::test::TempFolder;
using dsbuild::test::write_text;

namespace {

using std::chrono::seconds;

void no_wait(const std::string&) {}

/// A child that takes the lock, says so through a pipe, and holds it until it is killed.
pid_t start_holder(const std::filesystem::path& folder) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(folder, seconds(5), no_wait);
    (void)!::write(ends[1], "x", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  REQUIRE(::read(ends[0], &byte, 1) == 1);
  ::close(ends[0]);
  ::close(ends[1]);
  return child;
}

}  // namespace

TEST_CASE("a lock that is free is taken at once, again and again", "[lock]") {
  TempFolder folder;
  for (int i = 0; i < 3; ++i) {
    const FolderLock lock(folder / "deep/er", seconds(0), no_wait);
    CHECK(read_text(folder / "deep/er/.lock")
              .starts_with("process " + std::to_string(::getpid()) + " on "));
  }
}

TEST_CASE("a lock that is taken only if it is free is not waited for, and makes no folder",
          "[lock]") {
  TempFolder folder;
  CHECK(FolderLock::take_if_free(folder / "none") == nullptr);
  CHECK_FALSE(std::filesystem::exists(folder / "none"));
  const auto held = FolderLock::take_if_free(folder.path);
  REQUIRE(held != nullptr);
  CHECK(read_text(folder / ".lock").starts_with("process " + std::to_string(::getpid()) + " on "));
  CHECK(FolderLock::take_if_free(folder.path) == nullptr);
}

TEST_CASE("H03: a plain file named like the lock, which nobody holds, is no obstacle", "[lock]") {
  TempFolder folder;
  write_text(folder / ".lock", "left by someone long ago, with a much longer text than ours\n");
  const FolderLock lock(folder.path, seconds(0), no_wait);
  CHECK(read_text(folder / ".lock").find("long ago") == std::string::npos);
}

TEST_CASE("a wait that is too long ends with an error that names the holder", "[lock]") {
  TempFolder folder;
  const pid_t holder = start_holder(folder.path);
  std::string said;
  std::optional<Error> error;
  try {
    const FolderLock lock(folder.path, seconds(2), [&](const std::string& line) { said += line; });
  } catch (const Error& caught) {
    error = caught;
  }
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  REQUIRE(error);
  const std::string name = "process " + std::to_string(holder) + " on ";
  CHECK(error->code == ExitCode::lock_timeout);
  CHECK(error->message.find("locked by " + name) != std::string::npos);
  CHECK(error->where == (folder / ".lock").string());
  CHECK(error->hint.find("--lock-timeout") != std::string::npos);
  CHECK(said.starts_with("waiting for " + name));  // once
  CHECK(said.find("waiting", 1) == std::string::npos);
}

TEST_CASE("H01: a holder that is killed leaves the lock free", "[lock]") {
  TempFolder folder;
  const pid_t holder = start_holder(folder.path);
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  CHECK_NOTHROW(FolderLock(folder.path, seconds(0), no_wait));
}

TEST_CASE("who waits gets the lock when it becomes free", "[lock]") {
  TempFolder folder;
  const pid_t holder = start_holder(folder.path);
  std::thread killer([holder] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::kill(holder, SIGKILL);
  });
  CHECK_NOTHROW(FolderLock(folder.path, seconds(30), no_wait));
  killer.join();
  ::waitpid(holder, nullptr, 0);
}

TEST_CASE("an interrupt ends the wait", "[lock]") {
  TempFolder folder;
  const FolderLock held(folder.path, seconds(0), no_wait);
  const test::InterruptSoon soon(std::chrono::milliseconds(100));
  CHECK(test::code_of([&] { FolderLock(folder.path, seconds(30), no_wait); }) ==
        ExitCode::interrupted);
}

TEST_CASE("a child process doesn't inherit the lock", "[lock]") {
  TempFolder folder;
  pid_t child = -1;
  {
    const FolderLock lock(folder.path, seconds(0), no_wait);
    child = ::fork();
    if (child == 0) {
      ::execl("/bin/sleep", "sleep", "30", nullptr);
      ::_exit(127);
    }
    // Until the exec the child holds what we hold.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CHECK_NOTHROW(FolderLock(folder.path, seconds(5), no_wait));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}
