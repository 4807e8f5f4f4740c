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

TEST_CASE("a CI machine with a toolkit and no driver has a whole toolchain") {
  FakeRoot root;
  machines::add_host(root);
  machines::add_gcc(root, "/usr/bin/g++", "12.2.0");
  machines::add_cuda(root, {});
  root.link("/usr/local/cuda", "cuda-13.0");
  FakeProbe probe(root);
  probe.environment["CUDA_HOME"] = "/usr/local/cuda";
  const Machine machine = probe.run();
  CHECK(machine.devices.empty());
  const Toolchain cuda = only(machine, "nvcc");
  CHECK(cuda.state == ToolchainState::complete);
  CHECK(cuda.id == "nvcc-13.0.88");
  CHECK(cuda.path == "/usr/local/cuda/bin/nvcc");
  CHECK(cuda.origin == "CUDA_HOME");
  CHECK(cuda.demanded);
  CHECK(cuda.version.source == "/usr/local/cuda/version.json");
  CHECK(cuda.values ==
        std::map<std::string, std::string>{{"cudart", "cudart"},
                                           {"major", "13"},
                                           {"minor", "0"},
                                           {"nvcc", "/usr/local/cuda/bin/nvcc"},
                                           {"ptxas", "/usr/local/cuda/bin/ptxas"},
                                           {"toolkit", "/usr/local/cuda"},
                                           {"toolkit_include", "/usr/local/cuda/include"},
                                           {"toolkit_lib", "/usr/local/cuda/lib64"}});
  CHECK(cuda.host_limits.at("gcc").text() == "<16");
  CHECK(cuda.host_limits.at("clang").text() == "<21");
}

TEST_CASE("archs are in numeric order with their a and f forms, whatever nvcc's order") {
  FakeRoot root;
  machines::add_cuda(root, {});
  FakeProbe probe(root);
  CHECK(toolkits(probe)[0].archs ==
        Texts{"sm_75",   "sm_80",   "sm_86",   "sm_87",   "sm_88",   "sm_89",   "sm_90",  "sm_90a",
              "sm_100",  "sm_100a", "sm_100f", "sm_103",  "sm_103a", "sm_103f", "sm_110", "sm_110a",
              "sm_110f", "sm_120",  "sm_120a", "sm_120f", "sm_121",  "sm_121a", "sm_121f"});
}

TEST_CASE("what a toolkit offers is its own list, old ones too") {
  FakeRoot root;
  machines::add_cuda(root, {.folder = "/usr/local/cuda-11.0",
                            .release = "11.0",
                            .patch = "221",
                            .archs = machines::kArchs110,
                            .last_gcc = 9,
                            .first_clang = 10});
  FakeProbe probe(root);
  const Toolchain cuda = toolkits(probe)[0];
  CHECK(cuda.archs.front() == "sm_35");
  CHECK(cuda.archs.back() == "sm_80");
  CHECK(cuda.host_limits.at("gcc").text() == "<10");
}

TEST_CASE("an old nvcc on PATH is chosen and the newer toolkit is in the list") {
  FakeRoot root;
  machines::add_cuda(root, {.folder = "/usr",
                            .release = "11.5",
                            .patch = "119",
                            .archs = {"75", "80", "86"},
                            .version_json = false});
  machines::add_cuda(root, {.folder = "/usr/local/cuda-12.2", .release = "12.2", .patch = "140"});
  FakeProbe probe(root);
  const auto found = toolkits(probe);
  REQUIRE(found.size() == 2);
  CHECK(found[0].path == "/usr/bin/nvcc");
  CHECK(found[0].version->number() == "11.5");
  CHECK(found[0].origin == "PATH");
  CHECK(found[1].path == "/usr/local/cuda-12.2/bin/nvcc");
  CHECK(found[1].origin == "/usr/local");
}

TEST_CASE("toolkits of conventional folders come newest first, and each real one once") {
  FakeRoot root;
  machines::add_cuda(root, {.folder = "/usr/local/cuda-9.2", .release = "9.2"});
  machines::add_cuda(root, {.folder = "/usr/local/cuda-12.4", .release = "12.4"});
  machines::add_cuda(root, {.folder = "/opt/cuda", .release = "12.6"});
  FakeProbe probe(root);
  CHECK(paths(toolkits(probe)) == Texts{"/usr/local/cuda-12.4/bin/nvcc",
                                        "/usr/local/cuda-9.2/bin/nvcc", "/opt/cuda/bin/nvcc"});
  root.link("/usr/local/cuda", "/usr/local/cuda-9.2");
  CHECK(paths(toolkits(probe)) ==
        Texts{"/usr/local/cuda/bin/nvcc", "/usr/local/cuda-12.4/bin/nvcc", "/opt/cuda/bin/nvcc"});
}

TEST_CASE("a partial toolkit says what it lacks") {
  FakeRoot root;
  machines::add_cuda(root, {});
  const std::string folder = "/usr/local/cuda-13.0";
  FakeProbe probe(root);
  const auto missing = [&] {
    const auto found = toolkits(probe);
    CHECK(found[0].state == ToolchainState::partial);
    return found[0].missing;
  };
  SECTION("no nvcc") {
    root.remove(folder + "/bin/nvcc");
    CHECK(missing() == Texts{"bin/nvcc"});
  }
  SECTION("only ptxas") {
    for (const char* part : {"/bin/nvcc", "/nvvm", "/include", "/lib64", "/version.json"}) {
      root.remove(folder + part);
    }
    CHECK(missing() == Texts{"bin/nvcc", "nvvm/bin/cicc", "include/cuda_runtime.h",
                             "include/crt/host_config.h", "lib64/libcudart"});
  }
  SECTION("an nvcc that may not be run") {
    root.make_unexecutable(folder + "/bin/nvcc");
    CHECK(missing() == Texts{"bin/nvcc (not executable: EACCES)"});
  }
  SECTION("an nvcc that starts nothing") {
    root.program(folder + "/bin/nvcc", "#!/bin/sh\nexit 127\n");
    CHECK(missing() == Texts{"list of archs (nvcc --list-gpu-arch says: exit status 127)"});
  }
  SECTION("no cicc: the wheel of nvcc without that of nvvm") {
    root.remove(folder + "/nvvm");
    CHECK(missing() == Texts{"nvvm/bin/cicc"});
  }
}

TEST_CASE("a whole toolkit is chosen before a partial one that comes first") {
  FakeRoot root;
  machines::add_cuda(root, {.folder = "/usr/local/cuda-13.0"});
  machines::add_cuda(root, {.folder = "/usr/local/cuda-12.4", .release = "12.4"});
  root.remove("/usr/local/cuda-13.0/bin/nvcc");
  FakeProbe probe(root);
  CHECK(toolkits(probe)[0].path == "/usr/local/cuda-12.4/bin/nvcc");
}

TEST_CASE("a CUDA_HOME that is no toolkit stays as absent and demanded, beside those found") {
  FakeRoot root;
  machines::add_cuda(root, {});
  root.folder("/usr/lib/cuda/lib64");
  FakeProbe probe(root);
  const auto first = [&](const char* variable, const char* value) {
    probe.environment = {{"PATH", "/usr/bin:/bin"}, {variable, value}};
    const auto found = toolkits(probe);
    REQUIRE(found.size() == 2);
    CHECK(found[0].state == ToolchainState::absent);
    CHECK(found[0].demanded);
    CHECK(found[1].state == ToolchainState::complete);
    CHECK_FALSE(found[1].demanded);
    return found[0].version.reason;
  };
  CHECK(first("CUDA_HOME", "/usr/lib/cuda") == "CUDA_HOME=/usr/lib/cuda has no bin/nvcc");
  CHECK(first("CUDA_PATH", "/usr/lib/cuda/") == "CUDA_PATH=/usr/lib/cuda/ has no bin/nvcc");
  CHECK(first("CUDA_HOME", "/nowhere") == "CUDA_HOME=/nowhere doesn't exist");
  CHECK(first("CUDA_HOME", "cuda") == "CUDA_HOME=cuda is no absolute path");
}

TEST_CASE(
    "--toolkit comes before CUDA_HOME, CUDA_HOME before CUDA_PATH, and only one is demanded") {
  FakeRoot root;
  for (const char* release : {"12.0", "12.1", "12.2"}) {
    machines::add_cuda(root, {.folder = std::string("/opt/x-") + release, .release = release});
  }
  FakeProbe probe(root);
  probe.options.toolkits["nvcc"] = "/opt/x-12.0/bin/nvcc";
  probe.environment["CUDA_HOME"] = "/opt/x-12.1";
  probe.environment["CUDA_PATH"] = "/opt/x-12.2";
  const auto found = toolkits(probe);
  REQUIRE(found.size() == 3);
  CHECK(found[0].origin == "--toolkit");
  CHECK(value(found[0], "toolkit") == "/opt/x-12.0");
  CHECK(found[1].origin == "CUDA_HOME");
  CHECK(found[2].origin == "CUDA_PATH");
  CHECK(found[0].demanded);
  CHECK_FALSE(found[1].demanded);
  CHECK_FALSE(found[2].demanded);
}

TEST_CASE("an nvcc with odd answers is reported with its first line, never a crash") {
  FakeRoot root;
  // Nothing but the tools: no file tells the version.
  machines::add_cuda(root, {.version_json = false});
  root.remove("/usr/local/cuda-13.0/include/cuda.h");
  const std::string nvcc = "/usr/local/cuda-13.0/bin/nvcc";
  FakeProbe probe(root);
  probe.runner.shorten_limit(std::chrono::milliseconds(300));
  const auto problem = [&] {
    const Toolchain cuda = toolkits(probe)[0];
    CHECK(cuda.state == ToolchainState::partial);
    CHECK(cuda.missing == Texts{cuda.version.reason});
    return cuda.version.reason;
  };
  const std::string before = "nvcc at " + nvcc + ": version not understood: ";
  SECTION("HIP's text") {
    machines::add_printing_tool(root, nvcc, "HIP version: 5.2.21153-0\nclang version 15");
    CHECK(problem() == before + "HIP version: 5.2.21153-0");
  }
  SECTION("nothing") {
    root.tool(nvcc, "");
    CHECK(problem() == before + "it said nothing");
  }
  SECTION("it hangs: it is asked once, not three times") {
    root.tool(nvcc, "sleep 60\n");
    CHECK(problem() == before + "no answer within its time limit");
    CHECK(root.log() == nvcc + " --version\n");
  }
  SECTION("exit status 1") {
    machines::add_printing_tool(root, nvcc, "nvcc fatal   : no licence", 1);
    CHECK(problem() == before + "exit status 1: nvcc fatal   : no licence");
  }
  SECTION("binary garbage") {
    root.tool(nvcc, "head -c 100000 /dev/urandom\n");
    CHECK(problem().find(before) == 0);
  }
  SECTION("warnings first") {
    root.tool(nvcc,
              "echo 'nvcc warning : something'\n"
              "echo 'Cuda compilation tools, release 12.4, V12.4.131'\necho compute_90\n");
    const Toolchain cuda = toolkits(probe)[0];
    CHECK(cuda.version->number() == "12.4.131");
    CHECK(cuda.archs == Texts{"sm_90"});
    CHECK(cuda.state == ToolchainState::complete);
  }
  SECTION("a minor of two digits") {
    machines::add_nvcc(root, nvcc, {.release = "12.10", .patch = "7"});
    const Toolchain cuda = toolkits(probe)[0];
    CHECK(cuda.version->number() == "12.10.7");
    CHECK(value(cuda, "minor") == "10");
  }
}

TEST_CASE("a file that says the version spares the question") {
  FakeRoot root;
  machines::add_cuda(root, {});
  FakeProbe probe(root);
  toolkits(probe);
  CHECK(root.log().find("nvcc --version") == std::string::npos);
  CHECK(root.log().find("nvcc --list-gpu-arch") != std::string::npos);
}

TEST_CASE("without a toolkit the reason says where it was looked for") {
  const FakeRoot root;
  FakeProbe probe(root);
  const Toolchain cuda = only(probe.run(), "nvcc");
  CHECK(cuda.state == ToolchainState::absent);
  CHECK_FALSE(cuda.demanded);
  CHECK(cuda.version.reason.find("CUDA_HOME and CUDA_PATH are not set") == 0);
}

TEST_CASE("H19: a compiler cache's link of nvcc's name is no toolkit, and hides none") {
  FakeRoot root;
  machines::add_printing_tool(root, "/usr/bin/ccache", "ccache version 4.7.5");
  root.link("/usr/lib/ccache/nvcc", "../../bin/ccache");
  // By its side a tool that would make a partial toolkit of /usr.
  machines::add_ptxas(root, "/usr/bin/ptxas", {.release = "11.5"});
  machines::add_cuda(root, {.folder = "/usr/local/cuda"});
  FakeProbe probe(root);
  probe.environment["PATH"] = "/usr/lib/ccache:/usr/local/cuda/bin:/usr/bin:/bin";
  const auto found = toolkits(probe);
  CHECK(paths(found) == Texts{"/usr/local/cuda/bin/nvcc"});
  CHECK(found[0].state == ToolchainState::complete);
  CHECK(found[0].origin == "PATH");
}
