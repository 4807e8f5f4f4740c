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

/// Environments with a torch of one release each.
struct Environments {
  FakeRoot root;
  Environments() {
    add_python(root, "/usr", "3.11");
    add_torch(root, "/usr/lib/python3/dist-packages", {"1.13.0a0", "None", "None", "14"});
    add("/venv", "2.1.0");
    add("/conda", "2.2.0");
    add("/first", "2.3.0");
    add("/named", "2.4.0");
  }
  void add(const std::string& prefix, const std::string& version) {
    add_python(root, prefix, "3.11");
    add_torch(root, site(prefix), {version + "+cu121", "'12.1'"});
  }
  static std::string site(const std::string& prefix) {
    return prefix + "/lib/python3.11/site-packages";
  }
};

Strings ids(const std::vector<Torch>& torches) {
  Strings list;
  for (const Torch& torch : torches) list.push_back(torch.id);
  return list;
}

TEST_CASE("of several torches the named one is chosen, then the environment's, conda's, PATH's") {
  Environments all;
  TorchProbe probe(all.root);
  probe.environment = {{"PATH", "/first/bin:/usr/bin:/bin"}};
  CHECK(ids(probe.torches()) == Strings{"torch-2.3.0+cu121", "torch-1.13.0a0"});
  probe.environment["CONDA_PREFIX"] = "/conda";
  CHECK(probe.torches().front().id == "torch-2.2.0+cu121");
  CHECK(probe.torches().front().origin == "CONDA_PREFIX");
  probe.environment["VIRTUAL_ENV"] = "/venv";
  CHECK(ids(probe.torches()) ==
        Strings{"torch-2.1.0+cu121", "torch-2.2.0+cu121", "torch-2.3.0+cu121", "torch-1.13.0a0"});
  probe.options.python = GENERATE("/named", "/named/bin/python3", "/named/bin/python3.11");
  const Torch named = probe.torches().front();
  CHECK(named.id == "torch-2.4.0+cu121");
  CHECK(named.origin == "--python");
  CHECK(named.demanded);
  CHECK_FALSE(probe.torches().at(1).demanded);
}

TEST_CASE("--torch takes the package or the folder around it, and beats --python") {
  Environments all;
  TorchProbe probe(all.root);
  probe.options.python = "/venv";
  probe.options.torch =
      GENERATE("/named/lib/python3.11/site-packages", "/named/lib/python3.11/site-packages/torch");
  const auto found = probe.torches();
  CHECK(found.at(0).id == "torch-2.4.0+cu121");
  CHECK(found.at(0).origin == "--torch");
  CHECK(*found.at(0).interpreter == "/venv/bin/python3");
  CHECK(found.at(1).id == "torch-2.1.0+cu121");
  probe.options.python = "";
  CHECK(*probe.torches().at(0).interpreter == "/named/bin/python3");
}

TEST_CASE("a torch in a folder of no Python takes one of its own version, or says what to name") {
  FakeRoot root;
  add_torch(root, "/packages");
  root.file("/packages/torch/_C.cpython-312-x86_64-linux-gnu.so");
  TorchProbe probe(root);
  probe.options.torch = "/packages";
  const Torch lonely = probe.torches().at(0);
  CHECK(lonely.python->number() == "3.12");
  CHECK(lonely.interpreter.reason == "no python3.12 is known: name it with --python");
  add_python(root, "/py12", "3.12");
  root.folder("/py12/lib/python3.12/site-packages");
  probe.options.python = "/py12";
  CHECK(*probe.torches().at(0).interpreter == "/py12/bin/python3");
  CHECK(*probe.torches().at(0).extension_suffix == ".cpython-312-x86_64-linux-gnu.so");
}

TEST_CASE(
    "what was named and has no torch comes first, says where it was looked, and isn't replaced") {
  Environments all;
  add_python(all.root, "/bare", "3.11");
  all.root.folder("/bare/lib/python3.11/site-packages");
  TorchProbe probe(all.root);
  probe.environment["VIRTUAL_ENV"] = "/venv";
  const auto reason = [&] {
    const auto found = probe.torches();
    REQUIRE(found.size() > 1);
    CHECK(found[0].demanded);
    CHECK_FALSE(found[1].demanded);
    return found[0].version.reason;
  };
  probe.options.python = "/bare/bin/python3";
  CHECK(reason() == "no version.py in /bare/lib/python3.11/site-packages/torch");
  probe.options.python = "/nowhere";
  CHECK(reason() == "no such file or folder");
  probe.options.python = "no-such-python";
  CHECK(reason() == "no such command on PATH");
  probe.options.python = "/usr/lib/python3";
  CHECK(reason() == "no Python environment is there");
  probe.options.torch = "/bare";
  CHECK(reason() == "no version.py in /bare/torch");
  probe.options.torch = "/bare";
  probe.options.python = "/named";
  CHECK(probe.torches().at(0).origin == "--torch");
  CHECK_FALSE(probe.torches().at(0).version);
}

TEST_CASE("Debian's torch is found, and that Python.h is missing says what to install") {
  FakeRoot root;
  root.tool("/usr/bin/python3.11", "exit 1");
  root.link("/usr/bin/python3", "python3.11");
  root.file("/usr/lib/python3.11/_sysconfigdata__x86_64-linux-gnu.py",
            " 'EXT_SUFFIX': '.cpython-311-x86_64-linux-gnu.so',\n");
  add_torch(root, "/usr/lib/python3/dist-packages", {"1.13.0a0", "None", "None", "14"});
  TorchProbe probe(root);
  const Torch torch = probe.torches().at(0);
  CHECK(torch.id == "torch-1.13.0a0");
  CHECK(torch.prefix == "/usr");
  CHECK(torch.python->number() == "3.11");
  CHECK(torch.standard == 14);
  CHECK(torch.cuda.reason == "a build for CPU only");
  CHECK(torch.libraries.size() == 1);
  CHECK(*torch.extension_suffix == ".cpython-311-x86_64-linux-gnu.so");
  CHECK(torch.python_include.reason.find("python3.11-dev") != std::string::npos);
  root.remove("/usr/lib/python3/dist-packages/torch/include/ATen/ATen.h");
  CHECK(probe.torches().at(0).includes.empty());
}

TEST_CASE("an environment that sees the system's packages, and a user's own, find torch there") {
  FakeRoot root;
  add_python(root, "/usr", "3.11");
  add_torch(root, "/usr/local/lib/python3.11/dist-packages");
  add_venv(root, "/open", "/usr", "3.11", true);
  add_venv(root, "/closed", "/usr", "3.11");
  TorchProbe probe(root);
  probe.options.python = "/open";
  CHECK(probe.torches().at(0).version->number() == "2.9.0");
  CHECK(*probe.torches().at(0).interpreter == "/open/bin/python3");
  probe.options.python = "/closed";
  CHECK_FALSE(probe.torches().at(0).version);
  probe.options.python = "/usr/bin/python3";
  add_torch(root, "/home/ann/.local/lib/python3.11/site-packages", {"2.10.0+cu130", "'13.0'"});
  probe.environment["HOME"] = "/home/ann";
  CHECK(probe.torches().at(0).version->number() == "2.10.0");
  probe.environment["PYTHONNOUSERSITE"] = "1";
  CHECK(probe.torches().at(0).version->number() == "2.9.0");
}

TEST_CASE("pyenv's commands stand for the version that it was told") {
  FakeRoot root;
  root.tool("/pyenv/shims/python3", "exit 1");
  root.file("/pyenv/version", "3.12.1\n3.11.7\n");
  for (const auto& [full, minor] : {std::pair("3.12.1", "3.12"), std::pair("3.11.7", "3.11")}) {
    const std::string prefix = std::string("/pyenv/versions/") + full;
    add_python(root, prefix, minor);
    add_torch(root, prefix + "/lib/python" + minor + "/site-packages",
              {std::string("2.9.0+") + minor});
  }
  TorchProbe probe(root);
  probe.environment = {{"PATH", "/pyenv/shims"}};
  CHECK(probe.torches().at(0).version->text == "2.9.0+3.12");
  probe.environment["PYENV_VERSION"] = "3.11.7";
  CHECK(probe.torches().at(0).version->text == "2.9.0+3.11");
  CHECK(probe.torches().at(0).prefix == "/pyenv/versions/3.11.7");
}

TEST_CASE("a torch that is left of a Python that went comes last") {
  FakeRoot root;
  add_python(root, "/usr", "3.11");
  add_torch(root, "/usr/lib/python3.10/site-packages", {"2.0.0"});
  add_torch(root, "/usr/lib/python3.11/site-packages", {"2.9.0"});
  TorchProbe probe(root);
  CHECK(ids(probe.torches()) == Strings{"torch-2.9.0", "torch-2.0.0"});
  probe.options.python = "python3";
  CHECK(ids(probe.torches()) == Strings{"torch-2.9.0", "torch-2.0.0"});
}

TEST_CASE("I01: the C++ ABI is the one of the std::string that torch's own library takes") {
  FakeRoot root;
  add_python(root, "/opt/py", "3.11");
  const std::string site = Environments::site("/opt/py");
  add_torch(root, site);
  TorchProbe probe(root);
  probe.options.python = "/opt/py";
  CHECK(*probe.torches().at(0).cxx11_abi == "1");
  root.file(site + "/torch/lib/libc10.so", "_ZN3c105ErrorC1ENS_14SourceLocationESs");
  const Torch old = probe.torches().at(0);
  CHECK(*old.cxx11_abi == "0");
  CHECK(old.defines.back() == "_GLIBCXX_USE_CXX11_ABI=0");
}

TEST_CASE("what torch's own builder defines is defined: pybind11's tags where it has them") {
  FakeRoot root;
  add_python(root, "/opt/py", "3.11");
  const std::string site = Environments::site("/opt/py");
  add_torch(root, site);
  root.file(site + "/torch/lib/libtorch_python.so",
            std::string("\177ELF\0__pybind11_internals_v4_gcc_libstdcpp_cxxabi1011__\0more", 62));
  root.file(site + "/torch/utils/cpp_extension.py",
            "f'-DPYBIND11_{n}' for n in torch._C._PYBIND11_COMPILER_TYPE\n"
            "'-DTORCH_API_INCLUDE_EXTENSION_H', '-D_GLIBCXX_USE_CXX11_ABI='\n");
  TorchProbe probe(root);
  probe.options.python = "/opt/py";
  CHECK(probe.torches().at(0).defines ==
        Strings{"TORCH_API_INCLUDE_EXTENSION_H", "PYBIND11_COMPILER_TYPE=\"_gcc\"",
                "PYBIND11_STDLIB=\"_libstdcpp\"", "PYBIND11_BUILD_ABI=\"_cxxabi1011\"",
                "_GLIBCXX_USE_CXX11_ABI=1"});
  root.file(site + "/torch/utils/cpp_extension.py", "'-DTORCH_API_INCLUDE_EXTENSION_H'\n");
  CHECK(probe.torches().at(0).defines == Strings{"TORCH_API_INCLUDE_EXTENSION_H"});
}

TEST_CASE("the C++ standard is what torch's header asks for, else what its release needs") {
  FakeRoot root;
  add_python(root, "/opt/py", "3.11");
  const std::string site = Environments::site("/opt/py");
  TorchProbe probe(root);
  probe.options.python = "/opt/py";
  const auto standard = [&](const char* version, const char* header) {
    add_torch(root, site, {version});
    root.file(site + "/torch/include/ATen/ATen.h", header);
    return probe.torches().at(0).standard;
  };
  CHECK(standard("2.9.0", "#error C++20 or later compatible compiler is required") == 20);
  CHECK(standard("2.12.0", "") == 20);
  CHECK(standard("2.11.0", "") == 17);
  CHECK(standard("2.0.1", "") == 14);
}

}  // namespace
}  // namespace dsbuild::probe::tests
