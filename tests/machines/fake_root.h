// A folder that plays a machine's root for one test: files, links, and tools that are small
// scripts. Knows how to make them, not what any tool would say (machines.h does).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/system.h"

namespace dsbuild::machines {

/// Removed with all that is in it when the test ends.
class FakeRoot {
 public:
  FakeRoot();
  ~FakeRoot();
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  /// Paths are absolute and lie inside the root.
  FakeRoot& file(std::string_view path, std::string_view text = "");
  /// An executable file. Tools of a fake machine are POSIX sh: `body` follows a line that writes
  /// the call to the log.
  FakeRoot& tool(std::string_view path, std::string_view body);
  /// An executable with exactly this content.
  FakeRoot& program(std::string_view path, std::string_view content);
  FakeRoot& folder(std::string_view path);
  /// `target` as the link holds it.
  FakeRoot& link(std::string_view path, std::string_view target);
  FakeRoot& remove(std::string_view path);
  /// Gives the file another modification time, and leaves its content.
  FakeRoot& touch(std::string_view path);
  FakeRoot& make_unexecutable(std::string_view path);

  /// The calls of tools so far, one a line: the tool's path in the root and its arguments.
  std::string log() const;

  /// The machine. Its tools are scripts, so PATH must lead to a real `sh`'s helpers too: the
  /// default is /usr/bin:/bin, which serves both.
  PosixSystem system(Environment environment = {{"PATH", "/usr/bin:/bin"}}) const;
  std::filesystem::path host_path(std::string_view path) const;
  /// A folder outside the root, for caches.
  std::filesystem::path scratch() const { return top_ / "scratch"; }

 private:
  std::filesystem::path top_;
};

}  // namespace dsbuild::machines
