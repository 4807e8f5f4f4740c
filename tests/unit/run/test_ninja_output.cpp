#include <catch2/catch.hpp>

#include <vector>

#include "run/ninja_output.h"

namespace dsbuild::run {
namespace {

TEST_CASE("Ninja's complaint is kept, its echo of steps is not", "[ninja]") {
  std::vector<std::string> lines;
  NinjaOutput output([&](std::string_view line) { lines.emplace_back(line); });
  // In pieces that end anywhere.
  for (const char* piece :
       {"@dsbuild 12 make a\nFAILED: a\n./step steps/a.argv #12", "34\nninja: warn",
        "ing: premature end of file; recovering\nninja: build stopped: subcommand failed.\n",
        "ninja: error: '../k.cu', needed by 'a.o', missing and no known rule to make it\n",
        "sh: ./step: Permission denied\n"}) {
    output.add(piece);
  }
  CHECK(output.total_steps() == 12);
  CHECK_FALSE(output.nothing_to_do());
  CHECK(output.message() ==
        "error: '../k.cu', needed by 'a.o', missing and no known rule to make it\n"
        "sh: ./step: Permission denied");
  CHECK(lines == std::vector<std::string>{"ninja: warning: premature end of file; recovering"});
}

TEST_CASE("nothing to do is told apart from an error", "[ninja]") {
  NinjaOutput output([](std::string_view) {});
  output.add("ninja: no work to do.\n");
  CHECK(output.nothing_to_do());
  CHECK(output.message().empty());
  CHECK(output.total_steps() == 0);
}

}  // namespace
}  // namespace dsbuild::run
