// Bundles that this machine's compilers made, damaged in every way.
#include "base/elf.h"
#include "base/text.h"
#include "bundle/check_image.h"
#include "unit/bundle/shop.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

std::string rendered(const std::vector<Diagnostic>& problems) {
  std::string text;
  for (const Diagnostic& problem : problems) text += render_diagnostic(problem) + "\n";
  return text;
}

/// The triple of this machine's bundles, as far as the check reads it.
std::string triple() {
  return read_elf("/proc/self/exe").target + "-linux-gnu";
}

/// A host library as dsbuild builds them.
bool add_library(Shop& shop, const std::string& path, const std::string& code,
                 std::vector<std::string> flags = {}) {
  const auto cxx = test::find_tool({"g++"});
  if (!cxx) return false;
  test::write_text(shop.temp / "a.cpp", code);
  std::vector<std::string> argv{*cxx,        "-shared", "-fPIC", "-O1", "-fvisibility=hidden",
                                "-nostdlib", "-s",      "a.cpp"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  argv.insert(argv.end(), {"-lc", "-o", "a.so"});
  test::run_tool(argv, shop.temp.path);
  plan::Entry& entry = shop.add(path, test::read_text(shop.temp / "a.so"));
  entry.accelerator = "cpu";
  entry.arch = "";
  entry.form = "library";
  shop.plan.triple = triple();
  return true;
}

constexpr const char* kOp = R"(#include <string.h>
#define EXPORT extern "C" __attribute__((visibility("default")))
EXPORT int dsops_library_v1(char* a, const char* b, size_t n) { memcpy(a, b, n); return 1; }
)";

constexpr const char* kCuda = "extern \"C\" __global__ void scale(int* x) { *x *= 2; }\n";

bool add_cubin(Shop& shop, const std::string& arch, const std::string& compiled_for) {
  const auto nvcc = test::find_tool({"nvcc"});
  if (!nvcc) return false;
  test::write_text(shop.temp / "k.cu", kCuda);
  test::run_tool({*nvcc, "-cubin", "-arch=" + compiled_for, "k.cu", "-o", "k.cubin"},
                 shop.temp.path);
  plan::Entry& entry =
      shop.add("images/op/cuda/" + arch + ".cubin", test::read_text(shop.temp / "k.cubin"));
  entry.accelerator = "cuda";
  entry.arch = arch;
  entry.form = "cubin";
  return true;
}

TEST_CASE("a library that is built right is published with its facts", "[check]") {
  Shop shop;
  if (!add_library(shop, "lib/t/op.so", kOp)) {
    WARN("skipped: no g++ on this machine");
    return;
  }
  CHECK(shop.write());
  CHECK(rendered(shop.check()) == "");
  const BundleFile file = read_bundle(shop.out()).files.front();
  CHECK(file.kernels == std::vector<std::string>{"dsops_library_v1"});
  if (shop.plan.triple == "x86_64-linux-gnu") CHECK(file.needs.at("glibc") == ">=2.14");
}

TEST_CASE("M03, O08: each way to damage a library is told, and all of them at once", "[check]") {
  Shop shop;
  for (const char* name : {"empty", "cut", "foreign", "flipped", "missing", "linked", "good"}) {
    if (!add_library(shop, "lib/" + std::string(name) + ".so", kOp)) {
      WARN("skipped: no g++ on this machine");
      return;
    }
  }
  REQUIRE(shop.write());
  const auto file = [&](const char* name) {
    return shop.out() / "lib" / (std::string(name) + ".so");
  };
  const std::string whole = test::read_text(file("good"));
  test::write_text(file("empty"), "");
  test::write_text(file("cut"), whole.substr(0, 100));
  test::write_text(file("foreign"), "version https://git-lfs.github.com/spec/v1\n");
  std::string flipped = whole;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
  test::write_text(file("flipped"), flipped);
  fs::remove(file("missing"));
  fs::remove(file("linked"));
  fs::create_symlink(file("good"), file("linked"));
  test::write_text(shop.out() / "lib/unlisted.so", whole);
  const std::string problems = rendered(shop.check());
  INFO(problems);
  for (const char* line : {
           "lib/empty.so: has 0 bytes, the index says",
           "lib/empty.so: can't be used: the file is empty",
           "lib/cut.so: has 100 bytes, the index says",
           "lib/cut.so: can't be used: truncated",
           "lib/foreign.so: can't be used: neither ELF nor PTX",
           "lib/flipped.so: holds other bytes than the index says",
           "lib/missing.so: is missing",
           "lib/linked.so: is a link",
           "lib/unlisted.so: is not in the index",
       }) {
    CHECK_THAT(problems, Catch::Contains(line));
  }
  CHECK(problems.find("lib/good.so") == std::string::npos);
}

TEST_CASE("a library that needs, exports or remembers too much is refused before it is published",
          "[check]") {
  struct Row {
    const char* code;
    std::vector<std::string> flags;
    const char* problem;
  };
  const std::string op = kOp;
  const std::string more = op + "EXPORT int leak() { return 2; }\n";
  const std::string nowhere = op + "int nowhere();\nEXPORT int x() { return nowhere(); }\n";
  for (const Row& row : {
           Row{more.c_str(), {}, "exports dsops_library_v1, leak, where a library op exports"},
           Row{op.c_str(), {"-Wl,--no-as-needed", "-lm"}, "needs libm.so.6, where only libc"},
           Row{nowhere.c_str(), {}, "uses _Z7nowherev, which no library that it needs has"},
           Row{op.c_str(), {"-Wl,-rpath,/opt/build"}, "looks for libraries in /opt/build"},
       }) {
    Shop shop;
    if (!add_library(shop, "lib/op.so", row.code, row.flags)) {
      WARN("skipped: no g++ on this machine");
      return;
    }
    try {
      shop.write();
      FAIL("no error: " << row.problem);
    } catch (const Error& error) {
      CHECK(error.code == ExitCode::bad_artifact);
      CHECK_THAT(error.message, Catch::Contains(row.problem));
    }
    CHECK_FALSE(fs::exists(shop.out()));
  }
}

TEST_CASE("a host library exports what its link was to export, no more and no less", "[check]") {
  // A template's instance is weak: C++ leaks those first.
  const std::string weak =
      "template <class T> __attribute__((visibility(\"default\"))) T twice(T x) { return 2 * x; }\n"
      "template int twice<int>(int);\n";
  const std::string open = R"(extern "C" __attribute__((visibility("default"))) void a_open() {})";
  const std::string call = R"(extern "C" __attribute__((visibility("default"))) void b_call() {})";
  const auto publish = [](const std::string& code) {
    Shop shop;
    add_library(shop, "lib/libdsops.so", code);
    plan::Step link;
    link.id = "libdsops.so";
    link.kernels = {"b_call", "a_open"};
    shop.plan.entries.back().steps = {link.id};
    shop.plan.steps = {link};
    try {
      shop.write();
      return std::string();
    } catch (const Error& error) {
      return error.message;
    }
  };
  if (!test::find_tool({"g++"})) {
    WARN("skipped: no g++ on this machine");
    return;
  }
  CHECK(publish(open + call) == "");
  CHECK_THAT(publish(open + call + "\n" + weak),
             Catch::EndsWith("holds _Z5twiceIiET_S0_, which the index does not list"));
  CHECK_THAT(publish(open), Catch::EndsWith("does not hold b_call"));
}

TEST_CASE("I06: what a cubin lacks is told, but not what the driver brings", "[check]") {
  const auto nvcc = test::find_tool({"nvcc"});
  if (!nvcc) {
    WARN("skipped: no nvcc on this machine");
    return;
  }
  Shop shop;
  test::write_text(shop.temp / "k.cu",
                   "#include <cstdio>\n__device__ int outside(int);\n"
                   "extern \"C\" __global__ void scale(int* x) { printf(\"%d\", outside(*x)); }\n");
  test::run_tool({*nvcc, "-cubin", "-rdc=true", "-arch=sm_90", "k.cu", "-o", "k.cubin"},
                 shop.temp.path);
  const ElfFacts facts = read_elf(shop.temp / "k.cubin");
  BundleFile file;
  file.arch = "sm_90";
  file.form = "cubin";
  file.kernels = {"scale"};
  CHECK(check_image(file, facts, "x86_64") ==
        std::vector<std::string>{"uses _Z7outsidei, which it does not hold"});
}

TEST_CASE("B15: a compiler that ignores the arch is caught before anything is published",
          "[check]") {
  Shop shop;
  if (!add_cubin(shop, "sm_90", "sm_80")) {
    WARN("skipped: no nvcc on this machine");
    return;
  }
  try {
    shop.write();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::bad_artifact);
    CHECK_THAT(error.message, Catch::Contains("is compiled for sm_80, the index says sm_90"));
  }
}

TEST_CASE("a cubin that was renamed is told even if its hash was renamed with it", "[check]") {
  Shop shop;
  if (!add_cubin(shop, "sm_80", "sm_80")) {
    WARN("skipped: no nvcc on this machine");
    return;
  }
  REQUIRE(shop.write());
  BundleIndex index = read_bundle(shop.out());
  CHECK(index.files.front().kernels == std::vector<std::string>{"scale"});
  fs::rename(shop.out() / "images/op/cuda/sm_80.cubin", shop.out() / "images/op/cuda/sm_90.cubin");
  index.files.front().path = "images/op/cuda/sm_90.cubin";
  index.files.front().arch = "sm_90";
  CHECK(rendered(check_bundle(shop.out(), index)) ==
        "images/op/cuda/sm_90.cubin: is compiled for sm_80, the index says sm_90\n");
}

TEST_CASE("PTX and AMD code objects are checked like cubins", "[check]") {
  Shop shop;
  const auto nvcc = test::find_tool({"nvcc"});
  const auto clang = test::find_tool({"clang++-19", "clang++-18", "clang++-17"});
  if (!nvcc || !clang) {
    WARN("skipped: no nvcc, or no clang for gfx targets, on this machine");
    return;
  }
  test::write_text(shop.temp / "k.cu", kCuda);
  test::run_tool({*nvcc, "-ptx", "-arch=compute_90", "k.cu", "-o", "k.ptx"}, shop.temp.path);
  plan::Entry* entry = &shop.add("images/op/cuda/sm_90.ptx", test::read_text(shop.temp / "k.ptx"));
  entry->arch = "sm_90";
  entry->form = "ptx";
  test::write_text(shop.temp / "k.hip",
                   "extern \"C\" __attribute__((global)) void scale(int* x) { *x *= 2; }");
  test::run_tool(
      {*clang, "-x", "hip", "--offload-arch=gfx942", "--cuda-device-only", "--no-gpu-bundle-output",
       "-nogpulib", "-nogpuinc", "-fuse-cuid=none", "-c", "k.hip", "-o", "k.hsaco"},
      shop.temp.path);
  entry = &shop.add("images/op/rocm/gfx942.hsaco", test::read_text(shop.temp / "k.hsaco"));
  entry->arch = "gfx942";
  entry->form = "hsaco";
  REQUIRE(shop.write());
  CHECK(rendered(shop.check()) == "");
  BundleIndex index = read_bundle(shop.out());
  index.files[0].arch = "sm_100";
  index.files[1].arch = "gfx90a";
  CHECK(rendered(check_bundle(shop.out(), index)) ==
        "images/op/cuda/sm_90.ptx: is compiled for sm_90, the index says sm_100\n"
        "images/op/rocm/gfx942.hsaco: is compiled for gfx942, the index says gfx90a\n");
}

TEST_CASE("a folder without an index, or with a damaged one, is no bundle", "[check]") {
  const test::TempFolder temp;
  for (const char* text : {"", "{}"}) {
    try {
      read_bundle(temp.path);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.code == ExitCode::bad_artifact);
      CHECK_THAT(error.where, Catch::StartsWith(temp.path.string()));
    }
    test::write_text(temp / "bundle.json", text);
  }
}

}  // namespace
}  // namespace dsbuild::bundle
