#include "manifest/flags.h"

#include <catch2/catch.hpp>

#include <algorithm>

#include "unit/manifest/sample.h"

using namespace dsbuild;
using namespace dsbuild::manifest;

namespace {

/// The rule that is told of the last of `words`; nothing when it is allowed.
std::optional<Rule> told(const std::vector<std::string>& words) {
  Diagnostics diagnostics;
  const Document document{"f", Json(words), &diagnostics};
  check_flags(Node(document));
  if (diagnostics.all().empty()) return std::nullopt;
  CHECK(diagnostics.all().size() == 1);
  const std::string& message = diagnostics.all().back().message;
  for (const RuleRow& row : kRules) {
    const std::string_view text = row.message;
    const std::string_view tail = text.substr(text.rfind('}') + 1);
    if (row.rule >= Rule::flag_shape && message.ends_with(tail)) return row.rule;
  }
  return Rule::schema_other;
}

}  // namespace

TEST_CASE("flags that tune code, warnings and symbols are allowed", "[flags]") {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"-O3"},
           {"-std=c++20"},
           {"-funroll-loops"},
           {"-Wno-unused"},
           {"-DNAME"},
           {"-DNAME=-1"},
           {"-D", "NAME=1"},
           {"-UNAME"},
           {"-Xptxas", "-v"},
           {"-Xptxas=-v"},
           {"-Xcompiler=-fPIC,-Wall"},
           {"-maxrregcount=64"},
           {"-mllvm", "-unroll-count=4"},
           {"-mprefer-vector-width=512"},
           {"-include", "config.h"},
           {"-lineinfo"},
           {"--use_fast_math"},
           {"--diag-suppress=177,550"},
           {"--expt-relaxed-constexpr"},
           {"-rdc=true"},
           {"-fvisibility=hidden"},
           {"-Wl,-Bsymbolic"},
           {"-Wl,-z,defs"},
           {"-Wl,--as-needed"},
           {"-z", "now"},
           {"-fopenmp"},
       }) {
    INFO(words.back());
    CHECK(told(words) == std::nullopt);
  }
}

TEST_CASE("arch flags are refused in every spelling and behind every prefix", "[flags]") {
  for (const char* flag : {"-march=native",
                           "-march=x86-64-v3",
                           "-mcpu=neoverse-v2",
                           "-mtune=native",
                           "-mavx2",
                           "-mavx512f",
                           "-mno-avx",
                           "-msse4.2",
                           "-mfma",
                           "-m32",
                           "-mfpu=neon",
                           "-arch=sm_90",
                           "-arch",
                           "--gpu-architecture=sm_90",
                           "-gencode=arch=compute_90,code=sm_90",
                           "-gencode",
                           "--generate-code",
                           "-code=sm_90",
                           "--gpu-code=sm_90",
                           "--offload-arch=gfx90a",
                           "--cuda-gpu-arch=sm_90",
                           "--no-cuda-gpu-arch=sm_90",
                           "--amdgpu-target=gfx90a",
                           "--target=aarch64-linux-gnu",
                           "-target",
                           "-Xcompiler=-march=native",
                           "-Xcompiler=-O2,-mavx2",
                           "-Wl,-march=x"}) {
    INFO(flag);
    CHECK(told({flag}) == Rule::flag_arch);
  }
  CHECK(told({"-Xcompiler", "-march=native"}) == Rule::flag_arch);
}

TEST_CASE("flags that load or run what isn't shown are refused", "[flags]") {
  for (const char* flag : {"@file",
                           "-fplugin=x.so",
                           "-fplugin-arg-x",
                           "-fpass-plugin=x.so",
                           "-B.",
                           "-Bdir",
                           "-specs=x",
                           "--specs=x",
                           "-wrapper",
                           "-optf",
                           "-optf=x",
                           "--options-file=x",
                           "-ccbin",
                           "-ccbin=g++",
                           "--compiler-bindir=x",
                           "-plugin",
                           "-Wl,-plugin,x.so",
                           "-Wl,--plugin=x.so",
                           "-Wl,@file",
                           "-Xcompiler=@file",
                           "-Xlinker=-plugin",
                           "-load",
                           "-fuse-ld=gold",
                           "-Wl,--dynamic-linker,x",
                           "--sysroot=x",
                           "-isysroot",
                           "--gcc-toolchain=x",
                           "--cuda-path=x",
                           "--rocm-path=x",
                           "--config=x"}) {
    INFO(flag);
    CHECK(told({flag}) == Rule::flag_program);
  }
  CHECK(told({"-Xlinker", "-plugin"}) == Rule::flag_program);
  CHECK(told({"-Xclang", "-load"}) == Rule::flag_program);
}

TEST_CASE("flags that change the output are refused", "[flags]") {
  for (const char* flag :
       {"-o", "-oout", "--output-file=x", "-c", "-S", "-E", "-M", "-MD", "-MF", "-x", "-xc++",
        "-cubin", "-ptx", "-fatbin", "-save-temps=obj", "--keep", "-Wl,-o,x", "-Wl,-Map=x"}) {
    INFO(flag);
    CHECK(told({flag}) == Rule::flag_output);
  }
}

TEST_CASE("what has a key of its own is refused as a flag", "[flags]") {
  for (const char* flag : {"-I", "-Iinc", "-isystem", "-iquote", "-idirafter", "-L.", "-lm",
                           "--library=m", "-Wl,-lm"}) {
    INFO(flag);
    CHECK(told({flag}) == Rule::flag_has_key);
  }
}

TEST_CASE("paths that leave the op are refused", "[flags]") {
  CHECK(told({"-include=/etc/passwd"}) == Rule::flag_path);
  CHECK(told({"-include", "/etc/passwd"}) == Rule::flag_path);
  CHECK(told({"-include../x.h"}) == Rule::flag_path);
  CHECK(told({"-include", "a/../../x.h"}) == Rule::flag_path);
  CHECK(told({"-Wl,-rpath,/opt"}) == Rule::flag_path);
  CHECK(told({"-DPATH=/opt"}) == Rule::flag_path);
  CHECK(told({"-Wl,-rpath,.."}) == Rule::flag_path);
}

TEST_CASE("shell text and several words in one are refused", "[flags]") {
  for (const char* flag :
       {"-O2 -g", "$(pkg-config --cflags x)", "-DX=`date`", "-DX=$HOME", "-DX=a;b", "a|b", "a>b",
        "a&b", "-DX=\"a\"", "-DX='a'", "-DX=a\\b", "*.cpp", "-DX=(a)", " -O2", "-O2\t"}) {
    INFO(flag);
    CHECK(told({flag}) == Rule::flag_shape);
  }
}

TEST_CASE("a word that is no flag and no flag's value is refused", "[flags]") {
  CHECK(told({"evil.cpp"}) == Rule::flag_not_a_flag);
  CHECK(told({""}) == Rule::flag_not_a_flag);
  CHECK(told({"-O2", "evil.o"}) == Rule::flag_not_a_flag);
  CHECK(told({"-include", "a.h", "b.h"}) == Rule::flag_not_a_flag);
}
