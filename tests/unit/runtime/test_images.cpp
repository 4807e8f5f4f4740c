#include "cpu/cpu.h"
#include "toy_bundle.h"

#if defined(__x86_64__)

using Catch::Contains;
using dsops::value;

namespace {

// What the image that was chosen says it is; -1 after a failure.
float level_of(const ToyBundle& files, std::int32_t device = DSOPS_DEVICE_CPU) {
  const OpenBundle opened(files.path);
  std::vector<float> out(1, -1.0F);
  const Vector tensor(out);
  const dsops_exec exec = exec_on(device);
  call(opened.find("level"), {value(&tensor.tensor)}, &exec);
  return out[0];
}

float best_level_here() {
  const dsbuild::cpu::Cpu cpu = dsbuild::cpu::find_cpu();
  return static_cast<float>(dsbuild::cpu::best_level(cpu.isa, cpu.usable)->name.back() - '0');
}

}  // namespace

TEST_CASE("the image of the highest level that the CPU has is taken, native before all") {
  ToyBundle files;
  files.add_all();
  CHECK(level_of(files) == best_level_here());
  CHECK(level_of(files, DSOPS_DEVICE_EMU) == 1000);
  files.add("native_easy.so", "images/toy/cpu/native.so");
  CHECK(level_of(files) == 100);
}

TEST_CASE("a native image that needs what the CPU lacks is passed over") {
  ToyBundle files;
  files.add_all().add("native_hard.so", "images/toy/cpu/native.so");
  CHECK(level_of(files) == best_level_here());
}

TEST_CASE("where only a native image is there, the features it lacks are named") {
  ToyBundle files;
  files.add_op().add("native_hard.so", "images/toy/cpu/native.so");
  CHECK(level_of(files) == -1);
  CHECK_THAT(dsops_last_error(), Contains("no CPU image of ") && Contains("it has native.so") &&
                                     Contains("native.so needs warp_drive"));
  ToyBundle silent;
  silent.add_op().add("native_silent.so", "images/toy/cpu/native.so");
  CHECK(level_of(silent) == -1);
  CHECK_THAT(dsops_last_error(), Contains("does not say which features it needs"));
}

TEST_CASE("DSOPS_MAX_CPU_LEVEL holds back levels and native images alike") {
  ToyBundle files;
  files.add_all().add("native_avx512.so", "images/toy/cpu/native.so");
  const Variable variable("DSOPS_MAX_CPU_LEVEL", "x86-64-v2");
  CHECK(level_of(files) == 2);
  const dsops_backend* cpu = nullptr;
  REQUIRE(dsops_backend_find("cpu", &cpu) == DSOPS_OK);
  dsops_device_properties properties = {};
  properties.struct_size = sizeof properties;
  REQUIRE(cpu->device_properties(0, &properties) == DSOPS_OK);
  CHECK(properties.arch == std::string("x86-64-v2"));
}

TEST_CASE("a DSOPS_MAX_CPU_LEVEL that is no level is an error that lists them") {
  ToyBundle files;
  files.add_all();
  const Variable variable("DSOPS_MAX_CPU_LEVEL", "v3");
  CHECK(level_of(files) == -1);
  CHECK_THAT(dsops_last_error(),
             Contains("DSOPS_MAX_CPU_LEVEL: expected one of x86-64-v1, x86-64-v2, x86-64-v3, "
                      "x86-64-v4, got \"v3\""));
}

TEST_CASE("where no image fits, those that are there are listed") {
  ToyBundle files;
  files.add_op().add("x86-64-v4.so", "images/toy/cpu/x86-64-v4.so");
  const Variable variable("DSOPS_MAX_CPU_LEVEL", "x86-64-v2");
  CHECK(level_of(files) == -1);
  CHECK_THAT(dsops_last_error(),
             Contains("fits a CPU of x86-64-v2, the most that DSOPS_MAX_CPU_LEVEL allows: it has "
                      "x86-64-v4.so"));
}

TEST_CASE("an image that fits and is broken is an error, never passed over") {
  ToyBundle files;
  files.add_op().add("x86-64-v2.so", "images/toy/cpu/x86-64-v1.so");
  std::ofstream(files.path / "images/toy/cpu/x86-64-v2.so") << "broken";
  CHECK(level_of(files) == -1);
  CHECK_THAT(dsops_last_error(), Contains("x86-64-v2.so"));
}

TEST_CASE("an accelerator without images for the op is refused with those that it has") {
  ToyBundle files;
  files.add_op().add("emu.so", "images/toy/emu/x86_64.so");
  CHECK(level_of(files, DSOPS_DEVICE_CPU) == -1);
  CHECK(dsops_last_error() == std::string("toy: the bundle has no images for cpu (it has: emu)"));
  ToyBundle other;
  other.add_op().add("emu.so", "images/toy/emu/riscv64.so");
  CHECK(level_of(other, DSOPS_DEVICE_EMU) == -1);
  CHECK_THAT(dsops_last_error(), Contains("for this host's x86_64: it has riscv64.so"));
  ToyBundle wrong;
  wrong.add_op().add("x86-64-v2.so", "images/toy/emu/x86_64.so");
  CHECK(level_of(wrong, DSOPS_DEVICE_EMU) == -1);
  CHECK_THAT(dsops_last_error(), Contains("exports no dsops_emu_enter, so it is no emu image"));
}

#endif
