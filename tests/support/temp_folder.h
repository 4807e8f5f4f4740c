// A folder that lives as long as a test, and the few file operations that tests need in it.
// Knows nothing of dsbuild's formats.
#pragma once

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/system.h"

namespace dsbuild::test {

/// A new empty folder below the temporary one; removed with all that is in it.
class TempFolder {
 public:
  TempFolder() {
    const char* base = std::getenv("TMPDIR");
    std::string name = std::string(base != nullptr && *base != '\0' ? base : "/tmp");
    name += "/dsbuild-test.XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = std::filesystem::canonical(name);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::filesystem::path operator/(const std::filesystem::path& name) const { return path / name; }

  std::filesystem::path path;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_text(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// A shell script at `path`; tests use them as compilers.
inline std::string write_script(const std::filesystem::path& path, std::string_view body) {
  write_text(path, "#!/bin/sh\n" + std::string(body));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path.string();
}

/// A program of this machine, or nothing (the test then says that it skips).
inline std::optional<std::string> find_tool(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto path = find_program(PosixSystem(), name)) return path->string();
  }
  return std::nullopt;
}

/// Runs a tool of this machine in `folder`; the test fails when the tool does.
inline std::string run_tool(const std::vector<std::string>& argv,
                            const std::filesystem::path& folder) {
  Command command;
  command.argv = argv;
  command.environment = current_environment();
  command.folder = folder;
  command.limit = std::chrono::minutes(2);
  const ProcessResult result = PosixProcessRunner().run(command);
  INFO(argv.front() << ": " << result.describe() << "\n" << result.err);
  REQUIRE(result.ok());
  return result.out;
}

}  // namespace dsbuild::test
