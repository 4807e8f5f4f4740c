// Which torches are found, by files of environments that are made here.
#include <catch2/catch.hpp>

#include "base/json.h"
#include "unit/probe/support.h"

namespace dsbuild::probe::tests {
namespace {

using Strings = std::vector<std::string>;

/// A Python as it is installed: its program, headers and what sysconfig reads.
void add_python(FakeRoot& root, const std::string& prefix, const std::string& version) {
  const std::string name = "python" + version;
  std::string digits = version;
  digits.erase(digits.find('.'), 1);
  root.tool(prefix + "/bin/" + name, "exit 1");
  root.link(prefix + "/bin/python3", name);
  root.file(prefix + "/include/" + name + "/Python.h");
  root.file(prefix + "/lib/" + name + "/os.py");
  root.file(
      prefix + "/lib/" + name + "/_sysconfigdata__linux_x86_64-linux-gnu.py",
      "build_time_vars = {'CONFIG_ARGS': \"'--a' \"\n   \"'--b'\",\n 'EXT_SUFFIX': '.cpython-" +
          digits + "-x86_64-linux-gnu.so',\n 'INCLUDEPY': '/built/elsewhere'}\n");
}

/// A virtual environment made with the Python of `base`.
void add_venv(FakeRoot& root, const std::string& prefix, const std::string& base,
              const std::string& version, bool system_packages = false) {
  root.file(prefix + "/pyvenv.cfg", "home = " + base + "/bin\ninclude-system-site-packages = " +
                                        (system_packages ? "true" : "false") + "\n");
  root.folder(prefix + "/lib/python" + version + "/site-packages");
  root.link(prefix + "/bin/python3", base + "/bin/python3");
}

struct Build {
  std::string version = "2.9.0+cu128";
  std::string cuda = "'12.8'";
  std::string hip = "None";
  std::string standard = "17";
};

void add_torch(FakeRoot& root, const std::string& site, const Build& build = {}) {
  const std::string torch = site + "/torch";
  root.file(torch + "/__init__.py");
  root.file(torch + "/version.py", "__version__ = '" + build.version + "'\ncuda: Optional[str] = " +
                                       build.cuda + "\nhip: Optional[str] = " + build.hip + "\n");
  root.file(torch + "/include/ATen/ATen.h",
            "#pragma once\n#error C++" + build.standard +
                " or later compatible compiler is required to use ATen.\n");
  root.file(torch + "/lib/libc10.so", "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic");
  for (const char* name : {"torch", "torch_cpu", "torch_python"})
    root.file(torch + "/lib/lib" + name + ".so");
  if (build.cuda != "None") {
    root.file(torch + "/lib/libc10_cuda.so");
    root.file(torch + "/lib/libtorch_cuda.so");
  }
}

struct TorchProbe : FakeProbe {
  explicit TorchProbe(const FakeRoot& fake) : FakeProbe(fake) { options.torches = true; }
  std::vector<Torch> torches() { return run().torches; }
};

TEST_CASE("a torch in a virtual environment is told by its files, with the Python that it is for") {
  FakeRoot root;
  add_python(root, "/opt/py", "3.11");
  add_venv(root, "/venv", "/opt/py", "3.11");
  const std::string site = "/venv/lib/python3.11/site-packages";
  add_torch(root, site);
  root.file(site + "/pytorch_triton-3.5.0.dist-info/METADATA", "Version: 3.5.0\n\n");
  TorchProbe probe(root);
  probe.environment["VIRTUAL_ENV"] = "/venv";
  probe.options.python_packages = {"triton", "deepspeed-kernels"};
  const auto found = probe.torches();
  REQUIRE(found.size() == 1);
  const Torch& torch = found[0];
  CHECK(torch.id == "torch-2.9.0+cu128");
  CHECK(torch.prefix == "/venv");
  CHECK(torch.site == site);
  CHECK(torch.path == site + "/torch");
  CHECK(torch.origin == "VIRTUAL_ENV");
  CHECK_FALSE(torch.demanded);
  CHECK(torch.version->text == "2.9.0+cu128");
  CHECK(torch.python->number() == "3.11");
  CHECK(*torch.interpreter == "/venv/bin/python3");
  CHECK(*torch.python_include == "/opt/py/include/python3.11");
  CHECK(*torch.extension_suffix == ".cpython-311-x86_64-linux-gnu.so");
  CHECK(torch.cuda->number() == "12.8");
  CHECK(torch.hip.reason == "a build for CUDA 12.8");
  CHECK(*torch.cxx11_abi == "1");
  CHECK(torch.includes ==
        Strings{torch.path + "/include", torch.path + "/include/torch/csrc/api/include"});
  CHECK(torch.lib == torch.path + "/lib");
  CHECK(torch.libraries.at("cpu") == Strings{"c10", "torch", "torch_cpu", "torch_python"});
  CHECK(torch.libraries.at("cuda") ==
        Strings{"c10", "torch", "torch_cpu", "torch_python", "c10_cuda", "torch_cuda"});
  CHECK_FALSE(torch.libraries.contains("rocm"));
  CHECK(torch.standard == 17);
  CHECK(torch.packages.at("triton")->number() == "3.5.0");
  CHECK(torch.packages.at("deepspeed-kernels").reason == "not installed");
}

TEST_CASE("a machine's torches come back from JSON as they were, local versions too") {
  FakeRoot root;
  add_venv(root, "/venv", "/opt/py", "3.11");
  add_torch(root, "/venv/lib/python3.11/site-packages");
  TorchProbe probe(root);
  probe.environment["VIRTUAL_ENV"] = "/venv";
  const Json json = to_json(probe.run());
  const Machine machine = parse_machine(json);
  CHECK(to_json(machine) == json);
  CHECK(machine.torches.at(0).version->text == "2.9.0+cu128");
  probe.options.torches = false;
  CHECK_FALSE(to_json(probe.run()).contains("torches"));
}

TEST_CASE("a torch's identity changes with its libraries, its release and its Python") {
  FakeRoot root;
  add_python(root, "/opt/py", "3.11");
  add_venv(root, "/venv", "/opt/py", "3.11");
  const std::string site = "/venv/lib/python3.11/site-packages";
  add_torch(root, site);
  TorchProbe probe(root);
  probe.environment["VIRTUAL_ENV"] = "/venv";
  const auto identity = [&] { return probe.torches().at(0).identity; };
  const std::string first = identity();
  CHECK(identity() == first);
  root.touch(site + "/torch/lib/libtorch_cpu.so");
  const std::string second = identity();
  CHECK(second != first);
  root.file("/opt/py/include/python3.11/patchlevel.h", "3.11.8");
  CHECK(identity() != second);
}

}  // namespace
}  // namespace dsbuild::probe::tests
