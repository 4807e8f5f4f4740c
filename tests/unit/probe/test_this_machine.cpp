// The real tools of the machine that runs the tests, against what they say themselves.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "unit/probe/support.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using namespace dsbuild::probe::tests;

namespace {

const Machine& this_machine() {
  static const Machine kMachine = [] {
    PosixProcessRunner runner;
    return probe_machine(PosixSystem(), runner, built_in_catalog(), {});
  }();
  return kMachine;
}

const Toolchain* find_by_path(std::string_view kind, std::string_view path) {
  for (const Toolchain& toolchain : this_machine().toolchains) {
    if (toolchain.kind == kind && toolchain.path == path) return &toolchain;
  }
  return nullptr;
}

bool is_here(const char* path) {
  if (std::filesystem::exists(path)) return true;
  WARN("skipped: no " << path << " here");
  return false;
}

bool has(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

TEST_CASE("the real g++ is found once, whole") {
  if (!is_here("/usr/bin/g++")) return;
  const auto found = of_kind(this_machine(), "gcc");
  CHECK(std::count_if(found.begin(), found.end(), [](const Toolchain& toolchain) {
          return std::filesystem::canonical(toolchain.path) ==
                 std::filesystem::canonical("/usr/bin/g++");
        }) == 1);
  CHECK(found[0].state == ToolchainState::complete);
  CHECK(found[0].version->major_part() >= 4);
}

TEST_CASE("the real clang 14 is found, without the gfx targets that it doesn't know") {
  if (!is_here("/usr/bin/clang++-14")) return;
  const auto found = of_kind(this_machine(), "clang-amdgpu");
  const auto clang = std::find_if(found.begin(), found.end(), [](const Toolchain& toolchain) {
    return toolchain.version && toolchain.version->major_part() == 14;
  });
  REQUIRE(clang != found.end());
  CHECK(has(clang->archs, "gfx90a"));
  CHECK_FALSE(has(clang->archs, "gfx1100"));
}

TEST_CASE("the real clang 19 compiles for gfx942 and gfx1201, and names the lld that it uses") {
  if (!is_here("/usr/bin/clang++-19") || !is_here("/usr/lib/llvm-19/bin/ld.lld")) return;
  const Toolchain* clang = find_by_path("clang-amdgpu", "/usr/bin/clang++-19");
  REQUIRE(clang != nullptr);
  CHECK(clang->state == ToolchainState::complete);
  CHECK(value(*clang, "lld") == "/usr/lib/llvm-19/bin/ld.lld");
  for (const char* arch : {"gfx90a", "gfx942", "gfx1100", "gfx1201"})
    CHECK(has(clang->archs, arch));
}

TEST_CASE("the real CUDA toolkit is found once, whole, in numeric order") {
  if (!is_here("/usr/local/cuda/bin/nvcc")) return;
  const auto found = of_kind(this_machine(), "nvcc");
  const auto real = std::filesystem::canonical("/usr/local/cuda/bin/nvcc");
  const auto same = [&](const Toolchain& toolchain) {
    return std::filesystem::exists(toolchain.path) &&
           std::filesystem::canonical(toolchain.path) == real;
  };
  CHECK(std::count_if(found.begin(), found.end(), same) == 1);
  const auto cuda = std::find_if(found.begin(), found.end(), same);
  REQUIRE(cuda != found.end());
  INFO(Json(cuda->missing).dump());
  CHECK(cuda->state == ToolchainState::complete);
  CHECK(cuda->host_limits.contains("gcc"));
  if (cuda->version->major_part() != 13) return;
  CHECK(cuda->archs.front() == "sm_75");
  CHECK(has(cuda->archs, "sm_90a"));
  CHECK(has(cuda->archs, "sm_100f"));
  CHECK_FALSE(has(cuda->archs, "sm_90f"));
}

TEST_CASE("the real ninja is found") {
  if (!is_here("/usr/bin/ninja")) return;
  CHECK(this_machine().find_tool("ninja")->path);
}
