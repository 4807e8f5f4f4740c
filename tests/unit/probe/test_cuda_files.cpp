#include <catch2/catch.hpp>

#include "machines/machines.h"
#include "probe/toolchains/cuda_files.h"
#include "probe/toolchains/ptx.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using dsbuild::machines::FakeRoot;
using Texts = std::vector<std::string>;

TEST_CASE("cuda.h's number is major and minor, 12.10 included") {
  const auto version = [](const char* text) {
    const auto found = parse_cuda_h(text);
    return found ? found->number() : "";
  };
  CHECK(version("/* x */\n#define CUDA_VERSION 13000\n") == "13.0");
  CHECK(version("#define CUDA_VERSION 11080\n") == "11.8");
  CHECK(version("#define CUDA_VERSION 12100\n") == "12.10");
  CHECK(version("#define CUDA_VERSION\n") == "");
  CHECK(version("#define CUDA_VERSION many") == "");
  CHECK(version("") == "");
}

TEST_CASE("the host compilers that a toolkit takes stand in its host_config.h") {
  const auto limits = parse_host_limits(
      "#if __GNUC__ > 11\n#error\n#endif\n"
      "#if (__clang_major__ >= 14) || (__clang_major__ < 3)\n#error\n#endif\n");
  REQUIRE(limits.size() == 2);
  CHECK(limits.at("gcc").text() == "<12");
  CHECK(limits.at("clang").text() == "<14");
  CHECK(limits.at("gcc").contains(*Version::parse("11.4.0")));
  CHECK_FALSE(limits.at("gcc").contains(*Version::parse("12.1.0")));
  CHECK(parse_host_limits("nothing of the kind").empty());
  CHECK(parse_host_limits("#if __GNUC__ > x").empty());
}

TEST_CASE("an option's allowed values are read out of a help text and nothing else") {
  const char* help =
      "Usage\n\n--first <a>   (-f)\n        NVIDIA's own 'word'.\n"
      "        Allowed values for this option:  'no'.\n\n"
      "--gpu-architecture <arch>  (-arch)\n        Such as a sm_50, see '--gpu-code'.\n"
      "        Allowed values for this option:  'all','compute_90','compute_90a',\n"
      "        'sm_90','sm_100f'.\n        Default value:  'sm_75'.\n\n"
      "--gpu-code <code>\n        Allowed values for this option:  'sm_20'.\n";
  CHECK(parse_allowed_values(help, "--gpu-architecture") ==
        Texts{"all", "compute_90", "compute_90a", "sm_90", "sm_100f"});
  CHECK(parse_allowed_values(help, "--gpu-code") == Texts{"sm_20"});
  CHECK(parse_allowed_values(help, "--gpu").empty());
  CHECK(parse_allowed_values("", "--gpu-code").empty());
}

TEST_CASE("a wheel's patch level refines cuda.h only if it is of the same release") {
  FakeRoot root;
  const std::string folder = "/usr/local/cuda";
  root.file(folder + "/bin/nvcc").file(folder + "/include/cuda_runtime.h");
  root.file(folder + "/include/cuda.h", "#define CUDA_VERSION 13000\n");
  const auto version = [&] {
    const PosixSystem system = root.system();
    return find_cuda_version(system, find_cuda_files(system, folder, "x86_64"));
  };
  CHECK(version()->number() == "13.0");
  CHECK(version().source == folder + "/include/cuda.h");
  SECTION("the same release") {
    root.folder(folder + "/dist-info/nvidia_cuda_nvcc-13.0.88.dist-info");
    CHECK(version()->number() == "13.0.88");
  }
  SECTION("a left-over of another release") {
    root.folder(folder + "/dist-info/nvidia_cuda_nvcc-12.9.86.dist-info");
    CHECK(version()->number() == "13.0");
  }
  SECTION("version.json comes first") {
    root.file(folder + "/version.json", R"({"cuda": {"version": "12.4.1"}})");
    CHECK(version()->number() == "12.4.1");
    CHECK(version().source == folder + "/version.json");
  }
  SECTION("a version.json that says nothing is passed over") {
    for (const char* text : {"", "[1]", "{\"cuda\": []}", "{\"cuda\": {\"version\": 12}}", "nul"}) {
      root.file(folder + "/version.json", text);
      CHECK(version()->number() == "13.0");
    }
  }
}

TEST_CASE("nvcc.profile names the toolkit when it isn't the parent of bin") {
  FakeRoot root;
  root.program("/opt/tools/bin/nvcc", "a program");
  root.folder("/opt/cuda-12.9/include");
  CHECK(find_cuda_folder(root.system(), "/opt/tools/bin/nvcc") == "/opt/tools");
  root.file("/opt/tools/bin/nvcc.profile", "\nTOP              = /opt/cuda-12.9\n");
  CHECK(find_cuda_folder(root.system(), "/opt/tools/bin/nvcc") == "/opt/cuda-12.9");
  root.file("/opt/tools/bin/nvcc.profile", "TOP              = $(_HERE_)/..\n");
  CHECK(find_cuda_folder(root.system(), "/opt/tools/bin/nvcc") == "/opt/tools");
}

TEST_CASE("PTX versions follow from releases by arithmetic, and back") {
  const auto ptx = [](const char* release) {
    return ptx_of_cuda(*Version::parse(release)).number();
  };
  CHECK(ptx("11.8") == "7.8");
  CHECK(ptx("12.4") == "8.4");
  CHECK(ptx("12.5") == "8.5");
  CHECK(ptx("12.6") == "8.5");
  CHECK(ptx("12.7") == "8.6");
  CHECK(ptx("12.9") == "8.8");
  CHECK(ptx("13.0") == "9.0");
  CHECK(ptx("13.5") == "9.5");
  for (const char* release : {"11.8", "12.0", "12.5", "12.7", "12.9", "13.0", "13.4"}) {
    CHECK(cuda_of_ptx(ptx_of_cuda(*Version::parse(release))).number() == release);
  }
  CHECK(ptx_of_clang(*Version::parse("14.0.6"))->number() == "7.5");
  CHECK(ptx_of_clang(*Version::parse("19.1.7"))->number() == "8.5");
  CHECK_FALSE(ptx_of_clang(*Version::parse("99.0")));
  CHECK(render_ptx(ptx_of_cuda(*Version::parse("12.4"))) == "ptx84");
}
