#include "base/scratch.h"

#include <atomic>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "support/temp_folder.h"

namespace fs = std::filesystem;

using namespace dsbuild;
using dsbuild::test::TempFolder;
using dsbuild::test::write_text;

TEST_CASE("H11: a scratch folder is never taken for one that was left, however many are made",
          "[scratch]") {
  TempFolder folder;
  std::atomic<int> lost = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 32; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < 300; ++round) {
          const ScratchFolder scratch(folder / "run");
          try {
            write_file(scratch.path() / "obj" / "a.o", "a");
            if (!fs::exists(scratch.path() / "obj" / "a.o")) lost += 1;
          } catch (const Error&) {
            lost += 1;
          }
        }
      });
    }
  }
  CHECK(lost == 0);
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("what a killed process left is removed, and nothing of another name", "[scratch]") {
  TempFolder folder;
  write_text(folder / ".run.0123456789abcdef.staging" / "a", "left");
  write_text(folder / ".other.0123456789abcdef.staging" / "a", "another's");
  { const ScratchFolder scratch(folder / "run"); }
  CHECK_FALSE(fs::exists(folder / ".run.0123456789abcdef.staging"));
  CHECK(fs::exists(folder / ".other.0123456789abcdef.staging"));
}
