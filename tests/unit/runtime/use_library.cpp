// A program that uses libdsops as any program may: use_library LIBRARY [BUNDLE] runs toy.level on
// the host and toy.axpy on several threads, closes all, and prints the level and the time since it
// began in ms.
#include <dlfcn.h>
#include <dsops/op.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>

namespace {

double now_ms() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

// A function of libdsops, found by its name.
#define ENTRY(name) const auto name##_ = reinterpret_cast<decltype(&name)>(dlsym(library, #name))

DLTensor tensor_of(float* values, std::int64_t* length) {
  DLTensor tensor = {};
  tensor.data = values;
  tensor.device.device_type = DSOPS_DEVICE_CPU;
  tensor.ndim = 1;
  tensor.dtype = {DSOPS_CODE_FLOAT, 32, 1};
  tensor.shape = length;
  return tensor;
}

}  // namespace

int main(int argc, char** argv) {
  const double begin = now_ms();
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 2;
  ENTRY(dsops_bundle_open);
  ENTRY(dsops_bundle_close);
  ENTRY(dsops_find);
  ENTRY(dsops_call);
  ENTRY(dsops_last_error);

  static float x[1000], y[1000], level[1];
  std::int64_t many = 1000, one = 1;
  const DLTensor tx = tensor_of(x, &many), ty = tensor_of(y, &many), tl = tensor_of(level, &one);
  dsops_exec exec = DSOPS_EXEC_INIT;
  exec.num_threads = 4;
  dsops_bundle* bundle = nullptr;
  dsops_callable *find_level = nullptr, *axpy = nullptr;
  const dsops_value level_args[] = {dsops::value(&tl)};
  const dsops_value axpy_args[] = {dsops::value(&ty), dsops::value(&tx)};
  if (dsops_bundle_open_(argc > 2 ? argv[2] : nullptr, &bundle) != DSOPS_OK ||
      dsops_find_(bundle, "toy", "level", &find_level) != DSOPS_OK ||
      dsops_call_(find_level, nullptr, level_args, 1) != DSOPS_OK ||
      dsops_find_(bundle, "toy", "axpy", &axpy) != DSOPS_OK ||
      dsops_call_(axpy, &exec, axpy_args, 2) != DSOPS_OK) {
    return std::fprintf(stderr, "%s\n", dsops_last_error_()), 1;
  }
  const double ms = now_ms() - begin;
  dsops_bundle_close_(bundle);
  dlclose(library);
  usleep(5000);  // the pool's threads are still there; they must not run unmapped code
  std::printf("level %d, %.3f ms\n", static_cast<int>(level[0]), ms);
  return 0;
}
