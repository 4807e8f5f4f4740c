// Knows: how kernels_run gets memory that a GPU can use and runs a kernel there, by the CUDA driver
// API. Does not know kernels; needs no CUDA header, and no driver until it is used.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// https://docs.nvidia.com/cuda/cuda-driver-api/: handles are pointers, CUresult is an int.
class Gpu {
 public:
  static constexpr int kSkip = 77;
  static constexpr int kNoBinaryForGpu = 209, kUnsupportedPtx = 222;

  // Ends the program with kSkip if there is no driver or no device.
  Gpu() {
    library_ = dlopen("libcuda.so.1", RTLD_NOW);
    if (library_ == nullptr) skip("no libcuda.so.1");
    int device = 0;
    void* context = nullptr;
    if (call<int(unsigned)>("cuInit")(0) != 0) skip("cuInit fails: no device");
    check(call<int(int*, int)>("cuDeviceGet")(&device, 0), "cuDeviceGet");
    check(call<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, device), "context");
    check(call<int(void*)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  }

  // Ends the program with kSkip if the image is for another GPU.
  void* load(const char* path) const {
    void* module = nullptr;
    const int result = call<int(void**, const char*)>("cuModuleLoad")(&module, path);
    if (result == kNoBinaryForGpu || result == kUnsupportedPtx)
      skip("the image is for another GPU");
    check(result, path);
    return module;
  }

  // Memory that the host can use too.
  void* allocate(std::size_t bytes) const {
    void* memory = nullptr;
    const unsigned global = 1;  // CU_MEM_ATTACH_GLOBAL
    check(call<int(void**, std::size_t, unsigned)>("cuMemAllocManaged")(&memory, bytes, global),
          "cuMemAllocManaged");
    return memory;
  }

  // Returns when it is done.
  void run(void* module, const char* kernel, void* args, std::int64_t blocks, int threads) const {
    void* function = nullptr;
    void* parameters[] = {args};
    check(call<int(void**, void*, const char*)>("cuModuleGetFunction")(&function, module, kernel),
          kernel);
    using Launch = int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void*, void**, void**);
    check(call<Launch>("cuLaunchKernel")(function, static_cast<unsigned>(blocks), 1, 1,
                                         static_cast<unsigned>(threads), 1, 1, 0, nullptr,
                                         parameters, nullptr),
          kernel);
    check(call<int()>("cuCtxSynchronize")(), kernel);
  }

 private:
  [[noreturn]] static void skip(const char* reason) {
    std::fprintf(stderr, "%s\n", reason);
    std::exit(kSkip);
  }

  static void check(int result, const char* what) {
    if (result == 0) return;
    std::fprintf(stderr, "%s: CUDA error %d\n", what, result);
    std::exit(1);
  }

  template <typename Function>
  Function* call(const char* name) const {
    void* found = dlsym(library_, name);
    if (found == nullptr) skip(name);
    return reinterpret_cast<Function*>(found);
  }

  void* library_;
};
