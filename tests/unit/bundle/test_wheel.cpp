#include "bundle/wheel.h"

#include "base/error.h"
#include "base/hash.h"
#include "support/temp_folder.h"

namespace dsbuild::bundle {
namespace {

/// A bundle of extensions for an accelerator.
struct Goods {
  Goods() { index.triple = "x86_64-linux-gnu"; }

  BundleFile& add(const std::string& op, const std::string& level = "") {
    const std::string path = "extensions/acme/p/ops/" + op + "_op" +
                             (level.empty() ? "" : "." + level) + ".cpython-311-x.so";
    test::write_text(temp / path, "code of " + op);
    BundleFile file;
    file.path = path;
    file.op = op;
    file.accelerator = "acme";
    file.form = plan::kExtensionForm;
    file.variant = level;
    file.sha256 = sha256("code of " + op);
    file.needs = {{"torch", "==2.15"}, {"python", "==3.11"}, {"glibc", ">=2.34"}};
    index.files.push_back(std::move(file));
    return index.files.back();
  }
  Wheel make() const {
    return make_wheel(index, temp.path, choose_for_wheel(index, "acme", {}), "acme", "cuda",
                      "code");
  }

  test::TempFolder temp;
  BundleIndex index;
};

TEST_CASE("a wheel's name says the torch, the accelerator, the Python and the newest glibc",
          "[wheel]") {
  Goods goods;
  goods.add("a").needs["deepspeed"] = "==0.19.8";
  BundleFile& b = goods.add("b");
  b.needs["deepspeed"] = "==0.19.8";
  b.needs["glibc"] = ">=2.9";
  const Wheel wheel = goods.make();
  CHECK(wheel.name ==
        "deepspeed_ops_dsbuild-0.19.8+torch2.15.acme-cp311-cp311-manylinux_2_34_x86_64.whl");
  CHECK(wheel.bytes == goods.make().bytes);
  CHECK(wheel.bytes.find("deepspeed_ops_dsbuild/modules/p/ops/a_op.cpython-311-x.so") !=
        std::string::npos);
}

TEST_CASE("modules of two torches, of two levels, or without what they need are no wheel",
          "[wheel]") {
  Goods goods;
  goods.add("a");
  SECTION("torch") {
    goods.add("b").needs["torch"] = "==2.16";
  }
  SECTION("toolkits") {
    goods.index.files.back().needs["libraries"] = "libc10.so libcudart.so.13";
    goods.add("b").needs["libraries"] = "libcudart.so.12";
  }
  SECTION("levels") {
    goods.add("b", "x86-64-v2");
    goods.add("b", "x86-64-v3");
  }
  SECTION("order") {
    goods.add("b").needs["after"] = "pin_memory";
  }
  SECTION("content") {
    goods.add("b").sha256 = "other";
  }
  CHECK_THROWS_AS(goods.make(), Error);
}

}  // namespace
}  // namespace dsbuild::bundle
