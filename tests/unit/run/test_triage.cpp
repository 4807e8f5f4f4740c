#include <catch2/catch.hpp>

#include "run/triage.h"

namespace dsbuild::run {
namespace {

struct Row {
  const char* tool;
  const char* output;
  const char* first;
};

TEST_CASE("G10: the first error of each tool is found in its output", "[triage]") {
  // Recorded from the tools that are named.
  for (const Row& row : {
           Row{"g++ 12",
               "In file included from error.h:3,\n                 from a.cpp:1:\n"
               "a.cpp: In function 'int f()':\na.cpp:3:7: warning: unused variable 'error' "
               "[-Wunused-variable]\n    3 |   int error = 0;\n"
               "a.cpp:4:10: error: 'x0' was not declared in this scope; did you mean 'x'?\n"
               "    4 |   return x0;\n      |          ^~\n"
               "a.cpp:6:1: error: expected declaration before '}' token\n",
               "a.cpp:4:10: error: 'x0' was not declared in this scope; did you mean 'x'?"},
           Row{"g++ 12, a missing header",
               "a.cpp:1:10: fatal error: nope.h: No such file or directory\n    1 | #include "
               "<nope.h>\n      |          ^~~~~~~~\ncompilation terminated.\n",
               "a.cpp:1:10: fatal error: nope.h: No such file or directory"},
           Row{"clang 19", "a.cpp:1:1: error: unknown type name 'foo'\n1 error generated.\n",
               "a.cpp:1:1: error: unknown type name 'foo'"},
           Row{"clang 19, a bad option", "clang++-19: error: unknown argument: '-fnope'\n",
               "clang++-19: error: unknown argument: '-fnope'"},
           Row{"nvcc 13.0",
               "k.cu(3): error: identifier \"foo\" is undefined\n  foo();\n  ^\n\n1 error detected "
               "in the compilation of \"k.cu\".\n",
               "k.cu(3): error: identifier \"foo\" is undefined"},
           Row{"nvcc 13.0, an arch it lacks",
               "nvcc fatal   : Unsupported gpu architecture 'sm_70'\n",
               "nvcc fatal   : Unsupported gpu architecture 'sm_70'"},
           Row{"ptxas 13.0",
               "ptxas k.ptx, line 5; error   : Feature '.bf16' requires .target sm_80 or higher\n"
               "ptxas fatal   : Ptx assembly aborted due to errors\n",
               "ptxas k.ptx, line 5; error   : Feature '.bf16' requires .target sm_80 or higher"},
           Row{"ld 2.40",
               "/usr/bin/ld: a.o: in function `f()':\na.cpp:(.text+0x5): undefined reference to "
               "`g()'\ncollect2: error: ld returned 1 exit status\n",
               "a.cpp:(.text+0x5): undefined reference to `g()'"},
           Row{"ld 2.40, a missing library",
               "/usr/bin/ld: cannot find -lnope: No such file or directory\ncollect2: error: ld "
               "returned 1 exit status\n",
               "/usr/bin/ld: cannot find -lnope: No such file or directory"},
           Row{"lld 19",
               "ld.lld-19: error: undefined symbol: g()\n>>> referenced by d.cpp\nclang++-19: "
               "error: "
               "linker command failed with exit code 1 (use -v to see invocation)\n",
               "ld.lld-19: error: undefined symbol: g()"},
           Row{"as 2.40",
               "e.cpp: Assembler messages:\ne.cpp:1: Error: no such instruction: `vfoo'\n",
               "e.cpp:1: Error: no such instruction: `vfoo'"},
           Row{"as 2.40, F05: told to be older than the compiler",
               "/tmp/cc0t3Wl9.s: Assembler messages:\n/tmp/cc0t3Wl9.s:5: Error: `vpxord' is not "
               "supported on `generic64'\n/tmp/cc0t3Wl9.s:20: Error: `vmovss' is not supported on "
               "`generic64'\n",
               "/tmp/cc0t3Wl9.s:5: Error: `vpxord' is not supported on `generic64'"},
           Row{"g++ 12, F04: a source that refuses to be other code",
               "canary.cpp:2:2: error: #error \"asked for x86-64-v4, and this compiler makes other "
               "code: a wrapper's -march?\"\n    2 | #error \"asked for x86-64-v4, and this "
               "compiler "
               "makes other code: a wrapper's -march?\"\n      |  ^~~~~\n",
               "canary.cpp:2:2: error: #error \"asked for x86-64-v4, and this compiler makes other "
               "code: a wrapper's -march?\""},
           Row{"ld 2.40, in words that are not known",
               "/usr/bin/ld: a.o: bad value\ncollect2: error: ld returned 1 exit status\n",
               "/usr/bin/ld: a.o: bad value"},
           Row{"a script without the word", "first\nwhat a pity\n\n", "what a pity"},
           Row{"clang 19, a full disk",
               "fatal error: error in backend: IO failure on output stream: No space left on "
               "device\nPLEASE submit a bug report\nStack dump:\n",
               "fatal error: error in backend: IO failure on output stream: No space left on "
               "device"},
       }) {
    INFO(row.tool);
    const auto errors = first_errors(row.output, 1);
    REQUIRE(errors.size() == 1);
    CHECK(errors.front() == row.first);
  }
  CHECK(first_errors("", 3).empty());
  CHECK(first_errors("a.cpp:(.text+0x5): undefined reference to `g()'\n"
                     "collect2: error: ld returned 1 exit status\n",
                     3)
            .size() == 1);
  CHECK(first_errors("a: error: 1\nb: error: 2\nc: error: 3\n", 2).size() == 2);
}

TEST_CASE("G01: want of memory is told from the signal and from what drivers say", "[triage]") {
  CHECK(is_out_of_memory("killed by signal 9 (Killed)", ""));
  CHECK(is_out_of_memory("exit status 137", ""));
  CHECK(is_out_of_memory("exit status 1",
                         "g++: fatal error: Killed signal terminated program cc1plus"));
  CHECK(is_out_of_memory("exit status 1",
                         "nvcc error   : 'cicc' died due to signal 9 (Kill signal)"));
  CHECK(is_out_of_memory("exit status 1", "clang: error: unable to execute command: Killed"));
  CHECK_FALSE(is_out_of_memory("exit status 1", "a.cpp:1:1: error: Killed"));
  CHECK_FALSE(is_out_of_memory("killed by signal 11 (Segmentation fault)", ""));
}

TEST_CASE("a full disk is told from what tools say", "[triage]") {
  CHECK(is_disk_full("fatal error: error writing to /tmp/x.s: No space left on device"));
  CHECK(is_disk_full("Disk quota exceeded"));
  CHECK_FALSE(is_disk_full("no space"));
}

}  // namespace
}  // namespace dsbuild::run
