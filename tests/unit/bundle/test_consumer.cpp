#include "bundle/consumer.h"

#include <catch2/catch.hpp>

namespace dsbuild::bundle {
namespace {

BundleFile module(const std::string& path, std::map<std::string, std::string> needs) {
  BundleFile file;
  file.path = path;
  file.needs = std::move(needs);
  return file;
}

BundleIndex bundle() {
  BundleIndex index;
  index.files = {
      module("a.so", {{"torch", "==2.1"}, {"cpu", "x86-64-v3"}, {"cxx11_abi", "1"}}),
      module("b.so",
             {{"torch", ">=2.1"}, {"glibc", ">=2.34"}, {"libraries", "libc10.so libcudart.so.13"}}),
      module("LICENSE", {})};
  return index;
}

std::vector<std::string> problems(const char* name, const char* version) {
  std::vector<std::string> texts;
  for (const Diagnostic& problem : check_consumer(bundle(), {{name, *Version::parse(version)}}))
    texts.push_back(problem.file + ": " + problem.message);
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("I03: each file that is for another release than the consumer's is told with both",
          "[consumer]") {
  CHECK(problems("torch", "2.2") == Texts{"a.so: needs torch ==2.1, the consumer has 2.2"});
  CHECK(problems("torch", "2.1.2+cu121").empty());
  CHECK(problems("glibc", "2.28") == Texts{"b.so: needs glibc >=2.34, the consumer has 2.28"});
  CHECK(problems("cuda", "12.6") == Texts{"b.so: needs cuda >=13, <14, the consumer has 12.6"});
  CHECK(problems("cuda", "13.2").empty());
}

TEST_CASE("I03: what a consumer can be asked about is what some file needs a version of",
          "[consumer]") {
  CHECK(consumer_names(bundle()) == std::set<std::string>{"cuda", "glibc", "torch"});
}

TEST_CASE("a vendor's runtime says its major release in its name", "[consumer]") {
  const auto hip = find_toolkit_need(module("c.so", {{"libraries", "libc10.so libamdhip64.so.7"}}));
  REQUIRE(hip);
  CHECK(std::string(hip->backend->title) == "HIP");
  CHECK(hip->release == 7);
  CHECK_FALSE(find_toolkit_need(module("d.so", {{"libraries", "libc10.so libsycl.so.8"}})));
}

}  // namespace
}  // namespace dsbuild::bundle
