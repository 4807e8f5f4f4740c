#include <catch2/catch.hpp>

#include "base/text.h"
#include "plan/arch_list.h"
#include "unit/plan/workbench.h"

namespace dsbuild::plan {
namespace {

/// One accelerator's wishes as text: "sm_90 sm_90+ptx only-ptx:sm_80 all native".
std::string describe(const ArchWishes& wishes) {
  std::vector<std::string> words;
  for (const ArchWish& wish : wishes.wishes) {
    switch (wish.kind) {
      case ArchWish::Kind::one:
        words.push_back((wish.image ? "" : "only-ptx:") + wish.arch.name);
        if (wish.image && wish.portable == ArchWish::Portable::always) words.back() += "+ptx";
        if (wish.portable == ArchWish::Portable::never) words.back() += "-ptx";
        break;
      case ArchWish::Kind::all:
        words.emplace_back("all");
        break;
      case ArchWish::Kind::all_major:
        words.emplace_back("all-major");
        break;
      case ArchWish::Kind::native:
        words.emplace_back("native");
        break;
      case ArchWish::Kind::listed:
        words.emplace_back("listed");
        break;
    }
  }
  return join(words, " ");
}

struct Read {
  std::map<std::string, ArchWishes> wishes;
  Diagnostics diagnostics;

  std::string of(const std::string& accelerator) const {
    const auto found = wishes.find(accelerator);
    return found == wishes.end() ? "-" : describe(found->second);
  }
  const Diagnostic& problem() const {
    REQUIRE(diagnostics.all().size() == 1);
    return diagnostics.all().front();
  }
};

Read read(const std::vector<Setting>& settings) {
  const manifest::Catalog catalog = make_catalog();
  Read result;
  result.wishes = parse_arch_settings(settings, catalog, "x86_64", result.diagnostics);
  return result;
}

Read read(const std::string& value, const std::string& origin = "--arch") {
  return read({{"arch", value, origin}});
}

TEST_CASE("every spelling that people use is understood, and means one arch", "[arch_list]") {
  const std::vector<std::pair<std::string, std::string>> cuda = {
      {"9.0", "sm_90"},          {"90", "sm_90"},
      {"sm_90", "sm_90"},        {"SM_90", "sm_90"},
      {"9.0a", "sm_90a"},        {"90a", "sm_90a"},
      {"10.0f", "sm_100f"},      {"9.0+PTX", "sm_90+ptx"},
      {"9.0+ptx", "sm_90+ptx"},  {"compute_90", "only-ptx:sm_90"},
      {"90-real", "sm_90-ptx"},  {"90-virtual", "only-ptx:sm_90"},
      {"cuda:9.0", "sm_90"},     {"cuda:all", "all"},
      {"cuda:native", "native"}, {"CUDA:9.0", "-"},
  };
  for (const auto& [spelling, meaning] : cuda) {
    INFO(spelling);
    const Read result = read(spelling);
    CHECK(result.of("cuda") == meaning);
    CHECK(result.of("rocm") == "-");
    CHECK(result.of("cpu") == "-");
  }
  CHECK(read("gfx90a").of("rocm") == "gfx90a");
  CHECK(read("gfx90a:xnack-").of("rocm") == "gfx90a:xnack-");
  CHECK(read("rocm:gfx90a:xnack-").of("rocm") == "gfx90a:xnack-");
  CHECK(read("hip:gfx942").of("rocm") == "gfx942");
  CHECK(read("gfx11-generic").of("rocm") == "gfx11-generic");
  CHECK(read("x86-64-v3").of("cpu") == "x86-64-v3");
  CHECK(read("cpu:native").of("cpu") == "native");
}

TEST_CASE("B03: two-digit majors are numbers", "[arch_list]") {
  CHECK(read("10.0,10.3,11.0,12.0,12.1").of("cuda") == "sm_100 sm_103 sm_110 sm_120 sm_121");
}

TEST_CASE("B04: suffixes a and f are part of the arch, others are none", "[arch_list]") {
  CHECK(read("9.0a,10.0f").of("cuda") == "sm_90a sm_100f");
  const Read result = read("9.0z");
  CHECK(result.of("cuda") == "-");
  CHECK(result.problem().file == "--arch");
  CHECK(result.problem().message == "'9.0z' is no arch of any accelerator");
}

TEST_CASE("B09: any mix of separators, empty items and spellings is one list", "[arch_list]") {
  const std::string three = "sm_80 sm_86 sm_90";
  for (const char* list :
       {"8.0;8.6;9.0", "8.0,8.6,9.0", "8.0 8.6 9.0", "8.0\n8.6\n9.0", "8.0; 8.6 ,9.0",
        ";8.0;;8.6;  9.0;", "8.0\t8.6,, ,9.0", "80 86 90", "sm_80;8.6;90"}) {
    INFO(list);
    CHECK(read(list).of("cuda") == three);
    CHECK(read(list, "TORCH_CUDA_ARCH_LIST").of("cuda") == three);
  }
  CHECK(read("8.0 8.6+PTX", "TORCH_CUDA_ARCH_LIST").of("cuda") == "sm_80 sm_86+ptx");
}

TEST_CASE("B09: an empty list is as good as none", "[arch_list]") {
  for (const char* list : {"", " ", ";", " ; , "}) {
    const Read result = read(list, "TORCH_CUDA_ARCH_LIST");
    CHECK(result.wishes.empty());
    CHECK(result.diagnostics.all().empty());
  }
}

TEST_CASE("B09: what is no arch is told with its token, its origin and what could be written",
          "[arch_list]") {
  for (const char* token :
       {"Ampere", "8", "8.", ".8", "8.0.0", "08.0", "-8.0", "+PTX", "sm_", "1e1"}) {
    INFO(token);
    const Read result = read(std::string("9.0;") + token, "TORCH_CUDA_ARCH_LIST");
    CHECK(result.of("cuda") == "sm_90");
    CHECK(result.problem().file == "TORCH_CUDA_ARCH_LIST");
    CHECK(result.problem().message == "'" + std::string(token) + "' is no arch of cuda");
    CHECK(result.problem().hint ==
          "write for example 9.0, 90, sm_90, compute_90, 9.0a, 9.0f, 9.0+ptx, all, all-major, "
          "cuda:native");
  }
}

TEST_CASE("every bad token is told, not only the first", "[arch_list]") {
  const Read result = read("8.0;x;9.0;y");
  CHECK(result.of("cuda") == "sm_80 sm_90");
  CHECK(result.diagnostics.all().size() == 2);
}

TEST_CASE("native without its accelerator is refused, and told how to write it", "[arch_list]") {
  const Read result = read("native");
  CHECK(result.wishes.empty());
  CHECK(result.problem().message == "'native' needs its accelerator");
  CHECK(result.problem().hint == "write cpu:native, cuda:native, rocm:native");
  CHECK(read("native", "TORCH_CUDA_ARCH_LIST").of("cuda") == "native");
  CHECK(read("emu:native").problem().message == "'emu:native' is no arch of emu");
}

TEST_CASE("a bare all is for every accelerator, all-major for those whose archs have majors",
          "[arch_list]") {
  const Read all = read("all");
  for (const char* accelerator : {"cpu", "cuda", "emu", "rocm"}) {
    CHECK(all.of(accelerator) == "all");
    CHECK_FALSE(all.wishes.at(accelerator).names_accelerator);
  }
  const Read major = read("all-major");
  CHECK(major.of("cuda") == "all-major");
  CHECK(major.of("rocm") == "-");
  CHECK(read("rocm:all-major").problem().message == "'rocm:all-major' is no arch of rocm");
}

TEST_CASE("a list restricts only the accelerators that it names", "[arch_list]") {
  const Read result = read("9.0, gfx90a");
  CHECK(result.of("cuda") == "sm_90");
  CHECK(result.of("rocm") == "gfx90a");
  CHECK(result.of("cpu") == "-");
  CHECK(result.of("emu") == "-");
}

TEST_CASE("--arch beats a variable, for the accelerators that it names only", "[arch_list]") {
  const Read result = read({{"arch", "7.5", "TORCH_CUDA_ARCH_LIST"},
                            {"arch", "gfx90a", "PYTORCH_ROCM_ARCH"},
                            {"arch", "9.0", "--arch"}});
  CHECK(result.of("cuda") == "sm_90");
  CHECK(result.wishes.at("cuda").origin == "--arch");
  CHECK(result.of("rocm") == "gfx90a");
  CHECK(result.wishes.at("rocm").origin == "PYTORCH_ROCM_ARCH");
  CHECK(result.wishes.at("rocm").from_variable);
}

TEST_CASE("the variable that the descriptor lists first is the stronger one", "[arch_list]") {
  const std::vector<Setting> both = {{"arch", "75", "CUDAARCHS"},
                                     {"arch", "9.0", "TORCH_CUDA_ARCH_LIST"}};
  CHECK(read(both).of("cuda") == "sm_90");
  CHECK(read(both).wishes.at("cuda").origin == "TORCH_CUDA_ARCH_LIST");
  CHECK(read({{"arch", "", "TORCH_CUDA_ARCH_LIST"}, {"arch", "75", "CUDAARCHS"}}).of("cuda") ==
        "sm_75");
}

TEST_CASE("a variable takes no arch of another accelerator", "[arch_list]") {
  const Read result = read("rocm:gfx90a", "TORCH_CUDA_ARCH_LIST");
  CHECK(result.wishes.empty());
  CHECK(result.problem().message == "'rocm:gfx90a' is an arch of rocm, not of cuda");
}

}  // namespace
}  // namespace dsbuild::plan
