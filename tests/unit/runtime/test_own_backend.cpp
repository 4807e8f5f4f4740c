// In a program of its own: a backend that was loaded stays.
#include "toy_bundle.h"

using Catch::Contains;
using dsops::value;

TEST_CASE("somebody's own backend is loaded from a library, once, and runs ops") {
  const std::filesystem::path mine = kToyFiles / "backend_mine.so";
  const std::int32_t before = dsops_backend_count();
  REQUIRE(dsops_backend_load(mine.c_str()) == DSOPS_OK);
  CHECK(dsops_backend_count() == before + 1);
  CHECK(dsops_backend_load(mine.c_str()) == DSOPS_INVALID);
  CHECK_THAT(dsops_last_error(), Contains("backend mine (device type 2000) is there already"));

  ToyBundle files;
  files.add_op();
  std::filesystem::create_directories(files.path / "images/toy/mine");
  const OpenBundle opened(files.path);
  std::vector<float> out(100);
  const Vector tensor(out);
  const dsops_exec exec = exec_on(2000);
  CHECK(call(opened.find("level"), {value(&tensor.tensor)}, &exec) == DSOPS_NOT_FOUND);
  CHECK_THAT(dsops_last_error(), Contains("mine: no ") && Contains("images/toy/mine/hello.txt"));
  std::ofstream(files.path / "images/toy/mine/hello.txt") << "hello";
  CHECK(call(opened.find("level"), {value(&tensor.tensor)}, &exec) == DSOPS_OK);
  CHECK(out == std::vector<float>(100, 5.0F));
  CHECK(call(opened.find("stall"), {value(&tensor.tensor)}, &exec) == DSOPS_NOT_FOUND);
  CHECK(dsops_last_error() == std::string("toy.stall: mine has no toy_stall"));

  const Variable variable("DS_ACCELERATOR", "mine");
  dsops_accelerator accelerator = {};
  accelerator.struct_size = sizeof accelerator;
  REQUIRE(dsops_get_accelerator(&accelerator) == DSOPS_OK);
  CHECK(accelerator.device_count == 3);
  out.assign(100, 0.0F);
  CHECK(call(opened.find("level"), {value(&tensor.tensor)}) == DSOPS_OK);
  CHECK(out[99] == 5);

  // Where nothing is named, a backend with devices is taken before cpu.
  const Variable none("DS_ACCELERATOR", nullptr);
  REQUIRE(dsops_get_accelerator(&accelerator) == DSOPS_OK);
  CHECK(accelerator.name == std::string("mine"));
  CHECK_THAT(accelerator.rule, Contains("mine is the first that has a device"));
}
