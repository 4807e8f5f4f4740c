// Which modules of a bundle a Python gets, and what speaks against one, on facts alone.
#include "bundle/extension_choice.h"

#include <catch2/catch.hpp>

#include "unit/bundle/shop.h"

namespace dsbuild::bundle {
namespace {

using Texts = std::vector<std::string>;

Version version(const char* text) {
  return *Version::parse(text);
}

/// One op for an accelerator and the Python that it fits.
struct Case {
  Case() {
    host.python = version("3.11.7");
    host.suffixes = {".cpython-311-x.so", ".so"};
    host.torch.version = Fact<Version>::known(version("2.15.1+cu132"), "test");
    host.torch.cxx11_abi = Fact<std::string>::known("1", "test");
    host.torch.cuda = Fact<Version>::known(version("13.2"), "test");
    host.torch.hip = Fact<Version>::missing("a build for CUDA 13.2");
    host.level = "x86-64-v3";
    host.package = "deepspeed";
    host.package_version = version("0.19.8");
    add("");
  }
  BundleFile& add(const std::string& level) {
    BundleFile file;
    file.path = "extensions/acme/deepspeed/ops/x_op" + (level.empty() ? "" : "." + level) +
                ".cpython-311-x.so";
    file.op = "x";
    file.accelerator = "acme";
    file.form = plan::kExtensionForm;
    file.variant = level;
    file.needs = {{"torch", "==2.15"},
                  {"cxx11_abi", "1"},
                  {"python", "==3.11"},
                  {"deepspeed", "==0.19.8"},
                  {"cpu", level.empty() ? "x86-64-v3" : level},
                  {"libraries", "libc10.so libcudart.so.13"}};
    index.files.push_back(std::move(file));
    return index.files.back();
  }
  BundleFile& module() { return index.files.front(); }
  ExtensionChoice choose() const { return choose_extensions(index, catalog(), host, "acme", {}); }
  Texts problems() const { return choose().problems; }

  BundleIndex index;
  ExtensionHost host;
};

TEST_CASE("a module that fits has nothing against it", "[extension_choice]") {
  const ExtensionChoice choice = Case().choose();
  CHECK(choice.problems.empty());
  REQUIRE(choice.extensions.size() == 1);
  CHECK(choice.extensions[0].module == "deepspeed.ops.x_op");
}

TEST_CASE("I03: a module for another CUDA than torch's is refused with both releases",
          "[extension_choice]") {
  Case c;
  c.host.torch.cuda = Fact<Version>::known(version("12"), "test");
  CHECK(c.problems() == Texts{"x: needs CUDA 13, and torch has 12"});
  c.host.torch.cuda = Fact<Version>::missing("a build for CPU only");
  CHECK(c.problems() == Texts{"x: needs CUDA 13, and torch has none"});
  c.module().needs["libraries"] = "libamdhip64.so.7 libc10.so";
  CHECK(c.problems() == Texts{"x: needs HIP 7, and torch has none"});
  c.host.torch.hip = Fact<Version>::known(version("6.4.43482"), "test");
  CHECK(c.problems() == Texts{"x: needs HIP 7, and torch has 6.4.43482"});
  c.host.torch.hip = Fact<Version>::known(version("7.0"), "test");
  CHECK(c.problems().empty());
}

TEST_CASE("I03: a module for another release of torch, Python or DeepSpeed is refused with both",
          "[extension_choice]") {
  Case c;
  SECTION("torch") {
    c.module().needs["torch"] = "==2.14";
    CHECK(c.problems() == Texts{"x: needs torch ==2.14, and there is 2.15.1+cu132"});
  }
  SECTION("Python") {
    c.host.python = version("3.12");
    CHECK(c.problems() == Texts{"x: is for Python ==3.11 (.cpython-311-x.so), and there is 3.12"});
  }
  SECTION("DeepSpeed") {
    c.host.package_version = version("0.19.7");
    CHECK(c.problems() == Texts{"x: was built from deepspeed 0.19.8, and there is 0.19.7"});
  }
}

TEST_CASE("I01: a module for a torch of the other C++ ABI is refused", "[extension_choice]") {
  Case c;
  c.host.torch.cxx11_abi = Fact<std::string>::known("0", "test");
  CHECK(c.problems() ==
        Texts{"x: is for a torch with _GLIBCXX_USE_CXX11_ABI=1, and this one has 0"});
  c.module().needs.erase("cxx11_abi");  // of the stable ABI: any will do
  CHECK(c.problems().empty());
}

TEST_CASE("of several levels the best that the CPU runs is taken", "[extension_choice]") {
  Case c;
  c.index.files.clear();
  for (const char* level : {"x86-64-v4", "x86-64-v2", "x86-64-v3"}) c.add(level);
  const auto taken = [&](const char* level) {
    c.host.level = level;
    const ExtensionChoice choice = c.choose();
    CHECK(choice.problems.empty());
    return choice.extensions.at(0).file.variant;
  };
  CHECK(taken("x86-64-v2") == "x86-64-v2");
  CHECK(taken("x86-64-v3") == "x86-64-v3");
  CHECK(taken("x86-64-v4") == "x86-64-v4");
  c.index.files.resize(1);
  c.host.level = "x86-64-v3";
  CHECK(c.problems() == Texts{"x: needs a CPU of x86-64-v4, and this one is x86-64-v3"});
}

}  // namespace
}  // namespace dsbuild::bundle
