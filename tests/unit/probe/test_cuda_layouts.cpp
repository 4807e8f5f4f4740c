// CUDA toolkits as Debian, wheels and conda lay them out.
#include <catch2/catch.hpp>

#include "machines/machines.h"
#include "unit/probe/support.h"

using namespace dsbuild;
using namespace dsbuild::probe;
using namespace dsbuild::probe::tests;
using machines::CudaToolkit;
using Texts = std::vector<std::string>;

namespace {

std::vector<Toolchain> toolkits(FakeProbe& probe) {
  return of_kind(probe.run(), "nvcc");
}

}  // namespace

TEST_CASE("a wrapper on PATH leads to its toolkit, which is found once") {
  FakeRoot root;
  machines::add_cuda(root, {});
  root.program("/usr/local/bin/nvcc", "#!/bin/sh\nexec /usr/local/cuda-13.0/bin/nvcc \"$@\"\n");
  root.link("/usr/bin/nvcc", "/usr/local/bin/nvcc");
  FakeProbe probe(root);
  probe.environment["PATH"] = "/usr/local/bin:/usr/bin:/bin";
  const auto found = toolkits(probe);
  CHECK(paths(found) == Texts{"/usr/local/cuda-13.0/bin/nvcc"});
  CHECK(found[0].origin == "PATH");
}

TEST_CASE("Debian's split toolkit is whole") {
  FakeRoot root;
  machines::add_host(root);
  const CudaToolkit toolkit{
      .folder = "/usr", .release = "11.8", .lib = "lib/x86_64-linux-gnu", .version_json = false};
  machines::add_cuda(root, toolkit);
  root.remove("/usr/bin/nvcc").remove("/usr/nvvm");
  root.program("/usr/lib/nvidia-cuda-toolkit/bin/cicc", "not really\n");
  machines::add_nvcc(root, "/usr/lib/nvidia-cuda-toolkit/bin/nvcc", toolkit);
  root.program("/usr/bin/nvcc", "#!/bin/sh\n\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc \"$@\"\n");
  FakeProbe probe(root);
  const Toolchain cuda = toolkits(probe)[0];
  CHECK(cuda.missing.empty());
  CHECK(cuda.path == "/usr/lib/nvidia-cuda-toolkit/bin/nvcc");
  CHECK(value(cuda, "ptxas") == "/usr/bin/ptxas");
  CHECK(value(cuda, "toolkit_lib") == "/usr/lib/x86_64-linux-gnu");
  CHECK(cuda.version->number() == "11.8");
}

TEST_CASE(
    "E05: the wheel layout of CUDA 13 is whole, with lib for lib64, its version in dist-info and "
    "libraries by their sonames alone") {
  FakeRoot root;
  const std::string packages = "/venv/lib/python3.11/site-packages";
  machines::add_cuda(root, {.folder = packages + "/nvidia/cu13",
                            .release = "13.5",
                            .patch = "12",
                            .lib = "lib",
                            .version_json = false});
  root.remove(packages + "/nvidia/cu13/lib").file(packages + "/nvidia/cu13/lib/libcudart.so.13");
  root.folder(packages + "/nvidia_cuda_nvcc-13.5.12.dist-info");
  root.program("/venv/bin/python3", "not really\n");
  FakeProbe probe(root);
  SECTION("of the active virtual environment") {
    probe.environment["VIRTUAL_ENV"] = "/venv";
  }
  SECTION("of a python3 on PATH") {
    probe.environment["PATH"] = "/venv/bin:/usr/bin:/bin";
  }
  const Toolchain cuda = toolkits(probe)[0];
  CHECK(cuda.missing.empty());
  CHECK(cuda.version->number() == "13.5.12");
  CHECK(value(cuda, "toolkit_lib") == packages + "/nvidia/cu13/lib");
  CHECK(value(cuda, "cudart") == ":libcudart.so.13");
}

TEST_CASE("the split wheels of CUDA 12 are a partial toolkit with ptxas and headers") {
  FakeRoot root;
  const std::string nvidia = "/venv/lib/python3.11/site-packages/nvidia";
  machines::add_ptxas(root, nvidia + "/cuda_nvcc/bin/ptxas", {.release = "12.4"});
  root.file(nvidia + "/cuda_nvcc/include/crt/host_config.h", "#if __GNUC__ > 13\n");
  root.file(nvidia + "/cuda_runtime/include/cuda.h", "#define CUDA_VERSION 12040\n");
  root.file(nvidia + "/cuda_runtime/include/cuda_runtime.h");
  root.file(nvidia + "/cuda_runtime/lib/libcudart.so.12");
  FakeProbe probe(root);
  probe.environment["VIRTUAL_ENV"] = "/venv";
  const Toolchain cuda = toolkits(probe)[0];
  CHECK(cuda.missing == Texts{"bin/nvcc", "nvvm/bin/cicc"});
  CHECK(cuda.version->number() == "12.4");
  CHECK(cuda.host_limits.at("gcc").text() == "<14");
  CHECK(value(cuda, "toolkit_lib") == nvidia + "/cuda_runtime/lib");
  CHECK(value(cuda, "cudart") == ":libcudart.so.12");
}

TEST_CASE("wheels of two releases beside each other keep their own versions") {
  FakeRoot root;
  const std::string packages = "/venv/lib/python3.11/site-packages";
  machines::add_cuda(root, {.folder = packages + "/nvidia/cu13",
                            .release = "13.0",
                            .lib = "lib",
                            .version_json = false});
  root.remove(packages + "/nvidia/cu13/include/cuda.h");
  machines::add_ptxas(root, packages + "/nvidia/cuda_nvcc/bin/ptxas", {.release = "12.4"});
  root.folder(packages + "/nvidia_cuda_nvcc-13.0.88.dist-info");
  root.folder(packages + "/nvidia_cuda_nvcc_cu12-12.4.131.dist-info");
  FakeProbe probe(root);
  probe.environment["VIRTUAL_ENV"] = "/venv";
  const auto found = toolkits(probe);
  REQUIRE(found.size() == 2);
  CHECK(found[0].state == ToolchainState::complete);
  CHECK(found[0].version->number() == "13.0.88");
  CHECK(found[1].state == ToolchainState::partial);
  CHECK(found[1].version->number() == "12.4.131");
}

TEST_CASE("an nvcc alone, and a ptxas alone in a conda environment, are partial toolkits") {
  FakeRoot root;
  machines::add_nvcc(root, "/usr/local/cuda-12.4/bin/nvcc", {.release = "12.4", .patch = "131"});
  machines::add_ptxas(root, "/conda/bin/ptxas", {.release = "12.8"});
  FakeProbe probe(root);
  probe.environment["CONDA_PREFIX"] = "/conda";
  const auto found = toolkits(probe);
  REQUIRE(found.size() == 2);
  CHECK(found[0].path == "/usr/local/cuda-12.4/bin/nvcc");
  CHECK(found[0].version->number() == "12.4.131");
  CHECK(found[0].missing == Texts{"bin/ptxas", "nvvm/bin/cicc", "include/cuda_runtime.h",
                                  "include/crt/host_config.h", "lib64/libcudart"});
  CHECK(found[1].path == "/conda");
  CHECK(found[1].origin == "CONDA_PREFIX");
  CHECK(found[1].missing.front() == "bin/nvcc");
}

TEST_CASE("conda's targets folder is that of the machine") {
  struct Row {
    const char* machine;
    const char* target;
  };
  for (const Row& row : {Row{"x86_64", "x86_64-linux"}, Row{"aarch64", "sbsa-linux"},
                         Row{"aarch64", "aarch64-linux"}, Row{"ppc64le", "ppc64le-linux"}}) {
    INFO(row.target);
    FakeRoot root;
    machines::add_host(root, row.machine);
    const std::string targets = std::string("targets/") + row.target;
    machines::add_cuda(root, {.folder = "/conda",
                              .release = "12.4",
                              .include = targets + "/include",
                              .lib = targets + "/lib",
                              .version_json = false});
    FakeProbe probe(root);
    probe.environment["CONDA_PREFIX"] = "/conda";
    const Toolchain cuda = toolkits(probe)[0];
    CHECK(cuda.missing.empty());
    CHECK(cuda.origin == "CONDA_PREFIX");
    CHECK(cuda.version->number() == "12.4");
    CHECK(value(cuda, "toolkit_include") == "/conda/" + targets + "/include");
    CHECK(value(cuda, "toolkit_lib") == "/conda/" + targets + "/lib");
  }
}

TEST_CASE("another machine's targets folder is not this one's") {
  FakeRoot root;
  machines::add_host(root, "x86_64");
  machines::add_cuda(root, {.folder = "/conda",
                            .include = "targets/sbsa-linux/include",
                            .lib = "targets/sbsa-linux/lib"});
  FakeProbe probe(root);
  probe.environment["CONDA_PREFIX"] = "/conda";
  CHECK(toolkits(probe)[0].missing ==
        Texts{"include/cuda_runtime.h", "include/crt/host_config.h", "lib64/libcudart"});
}
