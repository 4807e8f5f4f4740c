// The rules of a bundle's images, one by one, on facts that need no compiler.
#include <catch2/catch.hpp>

#include "base/text.h"
#include "bundle/check_image.h"

namespace dsbuild::bundle {
namespace {

/// A host library of a library op as it should be.
struct Case {
  Case() {
    file.path = "lib/x86_64-linux-gnu/op.so";
    file.op = "op";
    file.accelerator = "cpu";
    file.form = "library";
    file.kernels = {"dsops_library_v1"};
    file.needs = {{"glibc", ">=2.14"}};
    facts.target = "x86_64";
    facts.exported = {"dsops_library_v1"};
    facts.undefined = {"memcpy@GLIBC_2.14"};
    facts.needed = {"libc.so.6", "ld-linux-x86-64.so.2"};
    facts.glibc = "2.14";
  }
  std::string problems() const { return join(check_image(file, facts, "x86_64"), "\n"); }

  BundleFile file;
  ElfFacts facts;
};

struct DeviceCase : Case {
  DeviceCase() {
    file.path = "images/op/cuda/sm_90.cubin";
    file.accelerator = "cuda";
    file.arch = "sm_90";
    file.form = "cubin";
    file.kernels = {"scale"};
    file.needs = {{"driver", ">=13.0"}};
    facts = {};
    facts.target = "sm_90";
    facts.device = true;
    facts.kernels = {"scale"};
    facts.exported = {"helper", "scale"};
  }
};

TEST_CASE("what is as it should be has no mismatch", "[check]") {
  CHECK(Case().problems() == "");
  CHECK(DeviceCase().problems() == "");
}

TEST_CASE("a library op exports its one symbol alone", "[check]") {
  Case c;
  c.facts.exported = {"_ZSt4cout", "dsops_library_v1"};
  c.file.kernels = c.facts.exported;
  CHECK(c.problems() ==
        "exports _ZSt4cout, dsops_library_v1, where a library op exports dsops_library_v1 alone");
}

TEST_CASE("I06: what libc has not is told: other libraries, and symbols from nowhere", "[check]") {
  Case c;
  c.facts.needed = {"libstdc++.so.6", "libm.so.6", "libc.so.6"};
  c.file.needs["libraries"] = "libstdc++.so.6 libm.so.6";
  CHECK(c.problems() == "needs libstdc++.so.6, libm.so.6, where only libc may be needed");
  Case d;
  d.facts.undefined.push_back("curandCreateGenerator");
  CHECK(d.problems() == "uses curandCreateGenerator, which no library that it needs has");
}

TEST_CASE("a shared_library may need what it lists, and nothing else", "[check]") {
  Case c;
  c.file.form = "so";
  c.file.kernels = c.facts.exported = {"aio_read"};
  c.facts.needed = {"libaio.so.1", "libc.so.6"};
  c.file.needs["libraries"] = "libaio.so.1";
  CHECK(c.problems() == "");
  c.facts.needed = {"libaio.so.1", "libstdc++.so.6", "libc.so.6"};
  CHECK(c.problems() == "needs libraries: libaio.so.1 libstdc++.so.6, the index says libaio.so.1");
}

TEST_CASE("I05: the floor of glibc is what the index says", "[check]") {
  Case c;
  c.facts.glibc = "2.34";
  CHECK(c.problems() == "needs glibc: >=2.34, the index says >=2.14");
  c.file.needs.erase("glibc");
  CHECK(c.problems() == "needs glibc: >=2.34, the index says none");
}

TEST_CASE("I01: a module calls torch with the std::string that torch was compiled with",
          "[check]") {
  Case c;
  c.file.path = "extensions/cpu/pkg/x_op.so";
  c.file.form = plan::kExtensionForm;
  c.file.kernels = c.facts.exported = {"PyInit_x_op"};
  const std::string old_one = "_ZN3c105ErrorC1ENS_14SourceLocationESs";
  const std::string new_one =
      "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
  const std::string tagged = "_ZN2at4nameB5cxx11Ei";
  // "Ss" in a name, and another library's std::string, say nothing of torch's.
  const std::vector<std::string> plain{"_ZN2at7isSslOnEv", "_ZN4acme4showESs", "_ZN5torch3addEi"};
  c.facts.undefined = plain;
  const auto problems = [&](const char* abi, const std::vector<std::string>& names) {
    c.file.needs["cxx11_abi"] = abi;
    c.facts.undefined = plain;
    c.facts.undefined.insert(c.facts.undefined.end(), names.begin(), names.end());
    return c.problems();
  };
  CHECK(problems("1", {new_one, tagged}) == "");
  CHECK(problems("0", {old_one}) == "");
  CHECK(problems("0", {new_one, tagged}) ==
        "uses " + new_one + ", " + tagged +
            ", which a torch with _GLIBCXX_USE_CXX11_ABI=0 does not have");
  CHECK(problems("1", {new_one, old_one}) ==
        "uses " + old_one + ", which a torch with _GLIBCXX_USE_CXX11_ABI=1 does not have");
  c.file.needs.erase("cxx11_abi");
  CHECK(c.problems() == "");
}

TEST_CASE("a module for Python is host code of this machine, of the stable ABI alone if it says so",
          "[check]") {
  Case c;
  c.file.path = "extensions/cpu/pkg/x_op.so";
  c.file.form = plan::kExtensionForm;
  c.file.kernels = c.facts.exported = {"PyInit_x_op"};
  c.file.needs["torch"] = ">=2.9";
  c.facts.undefined = {"aoti_torch_get_dim", "_ZNSt6vectorIlSaIlEED1Ev"};
  CHECK(c.problems() == "");
  c.facts.undefined.push_back("_ZNK2at6Tensor3dimEv");
  CHECK(c.problems() == "uses _ZNK2at6Tensor3dimEv, which is not of torch's stable ABI");
  c.facts.target = "aarch64";
  CHECK_THAT(c.problems(), Catch::StartsWith("is compiled for aarch64, the bundle is for x86_64"));
  c.facts = {};
  c.facts.problem = "the file is empty";
  CHECK(c.problems() == "can't be used: the file is empty");
}

TEST_CASE("a run path leads to the bundle only", "[check]") {
  Case c;
  for (const char* good : {"", "$ORIGIN", "$ORIGIN/../lib", "$ORIGIN:$ORIGIN/x"}) {
    c.facts.runpath = good;
    CHECK(c.problems() == "");
  }
  for (const char* bad : {"/opt/cuda/lib64", "$ORIGIN:/root/build", "$ORIGINAL", "lib"}) {
    c.facts.runpath = bad;
    CHECK_THAT(c.problems(), Catch::Contains("(RUNPATH)"));
  }
}

TEST_CASE("B15: an image of another arch than its name says is told", "[check]") {
  DeviceCase c;
  c.facts.target = "sm_80";
  CHECK(c.problems() == "is compiled for sm_80, the index says sm_90");
  c.file.arch = "sm_90a";
  c.facts.target = "sm_90";
  CHECK(c.problems() == "is compiled for sm_90, the index says sm_90a");
}

TEST_CASE("features of a target may stand in any order", "[check]") {
  DeviceCase c;
  c.file.form = "hsaco";
  c.file.arch = "gfx90a:xnack-:sramecc+";
  c.facts.target = "gfx90a:sramecc+:xnack-";
  CHECK(c.problems() == "");
  c.facts.target = "gfx90a:sramecc+:xnack+";
  CHECK_THAT(c.problems(), Catch::StartsWith("is compiled for gfx90a:sramecc+:xnack+"));
}

TEST_CASE("host code under a device's name, and the other way round, is told", "[check]") {
  DeviceCase c;
  c.facts = Case().facts;
  CHECK_THAT(c.problems(), Catch::StartsWith("holds code for x86_64, which is no cubin"));
  Case d;
  d.facts = DeviceCase().facts;
  CHECK_THAT(d.problems(), Catch::StartsWith("holds code for sm_90, which is no library"));
}

TEST_CASE("a library for another machine is told", "[check]") {
  Case c;
  c.facts.target = "aarch64";
  CHECK(c.problems() == "is compiled for aarch64, the bundle is for x86_64");
}

TEST_CASE("I06: what an image lacks is told, except what the driver brings", "[check]") {
  DeviceCase c;
  c.facts.undefined = {".nv.reservedSmem.offset0", "__assertfail", "vprintf"};
  CHECK(c.problems() == "");
  c.facts.undefined.push_back("outside");
  CHECK(c.problems() == "uses outside, which it does not hold");
}

TEST_CASE("kernels are all there, and no other", "[check]") {
  DeviceCase c;
  c.facts.kernels = {"scales"};
  CHECK(c.problems() == "does not hold scale\nholds scales, which the index does not list");
}

TEST_CASE("B15: device code inside a library is for the archs that the index lists", "[check]") {
  Case c;
  c.file.form = "so";
  c.file.archs = {"sm_80", "sm_90a", "sm_90+ptx"};
  c.facts.embedded = {
      {"cubin", "sm_80"}, {"cubin", "sm_80"}, {"cubin", "sm_90a"}, {"ptx", "sm_90"}};
  CHECK(c.problems() == "");
  c.facts.embedded = {{"cubin", "sm_80"}, {"cubin", "sm_86"}};
  CHECK(c.problems() ==
        "holds no code for sm_90a, sm_90+ptx\nholds code for sm_86, which the index does not list");
}

TEST_CASE("what can't be read is told, except in a form that only a descriptor knows", "[check]") {
  DeviceCase c;
  c.facts = {};
  c.facts.problem = "the file is empty";
  CHECK(c.problems() == "can't be used: the file is empty");
  c.file.form = "metallib";
  CHECK(c.problems() == "");
}

}  // namespace
}  // namespace dsbuild::bundle
