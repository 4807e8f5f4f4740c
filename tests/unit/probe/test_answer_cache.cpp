#include <tbb/parallel_for.h>
#include <catch2/catch.hpp>

#include <fstream>

#include "base/files.h"
#include "machines/machines.h"
#include "probe/answer_cache.h"
#include "unit/probe/counting_runner.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using dsbuild::machines::FakeRoot;
using dsbuild::probe::tests::CountingRunner;

namespace {

/// One process' worth of asking: what is remembered comes from the folder only.
std::string ask_anew(const FakeRoot& root, CountingRunner& runner, const char* path,
                     const std::vector<std::filesystem::path>& markers = {},
                     Environment environment = {{"PATH", "/usr/bin:/bin"}}) {
  const PosixSystem system = root.system(std::move(environment));
  AnswerCache answers(system, runner, root.scratch());
  return answers.ask(path, {"--version"}, markers).out;
}

std::filesystem::path only_file(const FakeRoot& root) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(root.scratch() / "answers")) {
    files.push_back(entry.path());
  }
  REQUIRE(files.size() == 1);
  return files.front();
}

}  // namespace

TEST_CASE("an answer is asked once and then remembered, in one process and in the next") {
  FakeRoot root;
  machines::add_printing_tool(root, "/usr/bin/tool", "tool 1.2");
  CountingRunner runner;
  const PosixSystem system = root.system();
  AnswerCache answers(system, runner, root.scratch());
  CHECK(answers.ask("/usr/bin/tool", {"--version"}).out == "tool 1.2\n");
  CHECK(answers.ask("/usr/bin/tool", {"--version"}).out == "tool 1.2\n");
  CHECK(runner.count() == 1);
  answers.ask("/usr/bin/tool", {"--help"});
  CHECK(runner.count() == 2);
  CHECK(ask_anew(root, runner, "/usr/bin/tool") == "tool 1.2\n");
  CHECK(runner.count() == 2);
}

TEST_CASE("two shells with different PATHs don't make each other's answers stale") {
  FakeRoot root;
  machines::add_printing_tool(root, "/usr/bin/tool", "tool 1.2");
  CountingRunner runner;
  for (int turn = 0; turn < 2; ++turn) {
    ask_anew(root, runner, "/usr/bin/tool");
    ask_anew(root, runner, "/usr/bin/tool", {}, {{"PATH", "/venv/bin:/usr/bin:/bin"}});
  }
  CHECK(runner.count() == 2);
}

TEST_CASE("an answer of long ago is forgotten when another one is kept") {
  FakeRoot root;
  machines::add_printing_tool(root, "/usr/bin/tool", "tool 1.2");
  machines::add_printing_tool(root, "/usr/bin/other", "other 3");
  CountingRunner runner;
  ask_anew(root, runner, "/usr/bin/tool");
  const std::filesystem::path old = only_file(root);
  std::filesystem::last_write_time(
      old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 31));
  ask_anew(root, runner, "/usr/bin/other");
  CHECK(only_file(root) != old);
}

TEST_CASE(
    "a touched link target, marker or another PATH makes an answer stale, nothing else does") {
  FakeRoot root;
  machines::add_printing_tool(root, "/opt/13.0/bin/nvcc", "release 13.0");
  root.link("/usr/local/bin/nvcc", "/opt/13.0/bin/nvcc");
  root.file("/opt/13.0/version.json", "{}").file("/opt/13.0/other");
  CountingRunner runner;
  const auto asks = [&](const char* path_variable = "/usr/bin:/bin") {
    runner.clear();
    ask_anew(root, runner, "/usr/local/bin/nvcc", {"/opt/13.0/version.json"},
             {{"PATH", path_variable}});
    return runner.count();
  };
  CHECK(asks() == 1);
  CHECK(asks() == 0);
  root.touch("/opt/13.0/other");
  CHECK(asks() == 0);
  root.touch("/opt/13.0/bin/nvcc");
  CHECK(asks() == 1);
  CHECK(asks() == 0);
  root.touch("/opt/13.0/version.json");
  CHECK(asks() == 1);
  root.remove("/opt/13.0/version.json");
  CHECK(asks() == 1);
  CHECK(asks() == 0);
  CHECK(asks("/usr/bin:/bin:/other") == 1);
}

TEST_CASE("a touched wrapper target makes the wrapper's answer stale") {
  FakeRoot root;
  machines::add_printing_tool(root, "/opt/nvcc", "release 13.0");
  // Outside of the root it would find no /opt/nvcc: so it answers by itself, and its exec line is
  // only read.
  root.program("/usr/local/bin/nvcc", "#!/bin/sh\necho wrapped\nexit 0\nexec /opt/nvcc \"$@\"\n");
  CountingRunner runner;
  CHECK(ask_anew(root, runner, "/usr/local/bin/nvcc") == "wrapped\n");
  ask_anew(root, runner, "/usr/local/bin/nvcc");
  CHECK(runner.count() == 1);
  root.touch("/opt/nvcc");
  ask_anew(root, runner, "/usr/local/bin/nvcc");
  CHECK(runner.count() == 2);
}

TEST_CASE("answers of tools that fail are not kept") {
  FakeRoot root;
  machines::add_printing_tool(root, "/usr/bin/tool", "no licence", 1);
  CountingRunner runner;
  ask_anew(root, runner, "/usr/bin/tool");
  ask_anew(root, runner, "/usr/bin/tool");
  CHECK(runner.count() == 2);
}

TEST_CASE("an answer is kept byte by byte, on both streams, whatever the bytes") {
  FakeRoot root;
  root.tool("/usr/bin/tool", "printf 'a\\377b\\n\\0c'\nprintf '\\n{' >&2\n");
  CountingRunner runner;
  const PosixSystem system = root.system();
  for (int i = 0; i < 2; ++i) {
    AnswerCache answers(system, runner, root.scratch());
    const ProcessResult answer = answers.ask("/usr/bin/tool", {});
    CHECK(answer.ok());
    CHECK(answer.out == std::string("a\377b\n\0c", 6));
    CHECK(answer.err == "\n{");
  }
  CHECK(runner.count() == 1);
}

TEST_CASE("a damaged, foreign or unwritable cache is no error") {
  FakeRoot root;
  machines::add_printing_tool(root, "/usr/bin/tool", "tool 1.2");
  CountingRunner runner;
  ask_anew(root, runner, "/usr/bin/tool");
  const std::filesystem::path file = only_file(root);
  const std::string good = *read_file(file);
  const std::size_t line = good.find('\n') + 1;
  const std::string lines[] = {"",
                               "\n",
                               good.substr(1),
                               good.substr(0, line),
                               good.substr(0, line) + "9 0\n",
                               good.substr(0, line) + "99999999999999999999 0\n",
                               good.substr(0, line) + "9\ntool 1.2\n",
                               good.substr(0, good.size() - 1),
                               good + "x"};
  for (const std::string& damage : lines) {
    std::ofstream(file) << damage;
    runner.clear();
    CHECK(ask_anew(root, runner, "/usr/bin/tool") == "tool 1.2\n");
    CHECK(runner.count() == 1);
  }
  SECTION("the place of the folder is a file") {
    std::filesystem::remove_all(root.scratch());
    std::ofstream(root.scratch()) << "in the way";
    CHECK(ask_anew(root, runner, "/usr/bin/tool") == "tool 1.2\n");
  }
  SECTION("no folder at all") {
    const PosixSystem system = root.system();
    AnswerCache answers(system, runner, {});
    CHECK(answers.ask("/usr/bin/tool", {"--version"}).out == "tool 1.2\n");
  }
}

TEST_CASE("a file of an older tool is replaced, so the cache doesn't grow with upgrades") {
  FakeRoot root;
  machines::add_printing_tool(root, "/usr/bin/tool", "tool 1.2");
  CountingRunner runner;
  ask_anew(root, runner, "/usr/bin/tool");
  const auto file = only_file(root);
  machines::add_printing_tool(root, "/usr/bin/tool", "tool 1.10");
  CHECK(ask_anew(root, runner, "/usr/bin/tool") == "tool 1.10\n");
  CHECK(only_file(root) == file);
}

TEST_CASE("many threads that ask the same start the tool once") {
  FakeRoot root;
  root.tool("/usr/bin/tool", "sleep 0.1\necho done\n");
  CountingRunner runner;
  const PosixSystem system = root.system();
  AnswerCache answers(system, runner, root.scratch());
  tbb::parallel_for(0, 16, [&](int) { answers.ask("/usr/bin/tool", {}); });
  CHECK(runner.count() == 1);
}

TEST_CASE("a tool gets ten seconds, a neutral locale and nothing else of the environment") {
  FakeRoot root;
  root.tool("/usr/bin/tool", "env\n");
  CountingRunner runner;
  const std::string seen =
      ask_anew(root, runner, "/usr/bin/tool", {},
               {{"PATH", "/usr/bin:/bin"}, {"LANG", "de_DE"}, {"NVCC_APPEND_FLAGS", "-lineinfo"}});
  REQUIRE(runner.count() == 1);
  CHECK(runner.commands().front().limit == std::chrono::seconds(10));
  CHECK(seen.find("LC_ALL=C\n") != std::string::npos);
  CHECK(seen.find("NVCC_APPEND_FLAGS") == std::string::npos);
}

TEST_CASE("a tool that can't be started is an answer too") {
  FakeRoot root;
  root.program("/usr/bin/tool", "\177ELF but not really");
  CountingRunner runner;
  const PosixSystem system = root.system();
  AnswerCache answers(system, runner, root.scratch());
  CHECK_FALSE(answers.ask("/usr/bin/tool", {}).ok());
  CHECK_FALSE(answers.ask("/usr/bin/missing", {}).ok());
}
