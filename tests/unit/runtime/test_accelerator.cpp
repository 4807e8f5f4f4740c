#include "toy_bundle.h"

using Catch::Contains;
using dsops::value;

namespace {

dsops_accelerator accelerator() {
  dsops_accelerator result = {};
  result.struct_size = sizeof result;
  INFO(dsops_last_error());
  REQUIRE(dsops_get_accelerator(&result) == DSOPS_OK);
  return result;
}

// The device that a call on host memory runs on.
int device_of_host_call() {
  ToyBundle files;
  const OpenBundle opened(files.add_all().path);
  std::vector<double> out(7);
  const Vector tensor(out);
  call(opened.find("report"), {value(&tensor.tensor), value(1)});
  return static_cast<int>(out[5]);
}

}  // namespace

TEST_CASE("without DS_ACCELERATOR it is cpu, and the rule says what was tried before") {
  const Variable variable("DS_ACCELERATOR", nullptr);
  const dsops_accelerator result = accelerator();
  CHECK(result.name == std::string("cpu"));
  CHECK(result.device_type == DSOPS_DEVICE_CPU);
  CHECK(result.device_count == 1);
  CHECK_THAT(result.rule, Contains("cuda: not in this version of libdsops; rocm: not in this "
                                   "version of libdsops") &&
                              Contains("cpu is always there"));
  CHECK(device_of_host_call() == DSOPS_DEVICE_CPU);
}

TEST_CASE("DS_ACCELERATOR chooses, for the process and for calls on host memory") {
  const Variable variable("DS_ACCELERATOR", "emu");
  const dsops_accelerator result = accelerator();
  CHECK(result.name == std::string("emu"));
  CHECK(result.device_type == DSOPS_DEVICE_EMU);
  CHECK(result.rule == std::string("DS_ACCELERATOR=emu"));
  CHECK(device_of_host_call() == DSOPS_DEVICE_EMU);
}

TEST_CASE("an accelerator that is named and can't be used is an error, never another one") {
  dsops_accelerator result = {};
  result.struct_size = sizeof result;
  {
    const Variable variable("DS_ACCELERATOR", "cuda");
    CHECK(dsops_get_accelerator(&result) == DSOPS_UNSUPPORTED);
    CHECK(dsops_last_error() ==
          std::string("DS_ACCELERATOR=cuda: cuda: not in this version of libdsops"));
    // Memory of the host is still the cpu's to work on: this is how optimizers are offloaded.
    CHECK(device_of_host_call() == DSOPS_DEVICE_CPU);
  }
  const Variable variable("DS_ACCELERATOR", "Cuda");
  CHECK(dsops_get_accelerator(&result) == DSOPS_INVALID);
  CHECK_THAT(dsops_last_error(), Contains("DS_ACCELERATOR: expected one of cuda, rocm, cpu, emu") &&
                                     Contains("got \"Cuda\""));
}

TEST_CASE("an empty DS_ACCELERATOR is not set") {
  const Variable variable("DS_ACCELERATOR", "");
  CHECK(accelerator().name == std::string("cpu"));
}

TEST_CASE("a caller that knows fewer members gets those") {
  dsops_accelerator result = {};
  result.struct_size = offsetof(dsops_accelerator, name);
  REQUIRE(dsops_get_accelerator(&result) == DSOPS_OK);
  CHECK(result.device_count >= 1);
  CHECK(result.name == nullptr);
  CHECK(result.rule[0] == '\0');
  CHECK(result.struct_size == offsetof(dsops_accelerator, name));
  result.struct_size = 0;
  CHECK(dsops_get_accelerator(&result) == DSOPS_INVALID);
}

TEST_CASE("a call without tensors runs on the process's accelerator, if the op has images for it") {
  ToyBundle files;
  files.add_op().add("emu.so", "images/toy/emu/x86_64.so");
  const OpenBundle opened(files.path);
  const dsops_tensor_list empty = {sizeof(dsops_tensor_list), 0, 0, nullptr};
  for (const char* named : {"", "cpu", "emu", "cuda"}) {
    const Variable variable("DS_ACCELERATOR", named);
    INFO(named);
    CHECK(call(opened.find("lists"), {value(&empty), value(&empty)}) == DSOPS_OK);
  }
}

TEST_CASE("memory that no backend reaches is refused by name") {
  ToyBundle files;
  const OpenBundle opened(files.add_all().path);
  std::vector<double> out(7);
  Vector tensor(out);
  tensor.tensor.device.device_type = 15;
  CHECK(call(opened.find("report"), {value(&tensor.tensor), value(1)}) == DSOPS_UNSUPPORTED);
  CHECK_THAT(dsops_last_error(), Contains("no backend reaches device type 15 memory"));
  tensor.tensor.device.device_type = DSOPS_DEVICE_CUDA;
  CHECK(call(opened.find("report"), {value(&tensor.tensor), value(1)}) == DSOPS_NOT_FOUND);
  CHECK_THAT(dsops_last_error(), Contains("toy: the bundle has no images for cuda"));
  const dsops_exec exec = exec_on(4711);
  CHECK(call(opened.find("report"), {value(&tensor.tensor), value(1)}, &exec) == DSOPS_INVALID);
  CHECK_THAT(dsops_last_error(), Contains("no backend has device type 4711"));
}
