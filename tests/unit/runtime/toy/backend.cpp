// Somebody's own backend, outside libdsops: its device is the host, its image a file that says
// "hello".
#include <dsops/backend.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const dsops_host* host = nullptr;

template <typename... Arguments>
int32_t cannot(Arguments...) {
  return host->fail(nullptr, DSOPS_UNSUPPORTED, "mine: it can't do that");
}

int32_t count(int32_t* out) {
  *out = 3;
  return DSOPS_OK;
}

int32_t image_load(int32_t, const char* folder, dsops_image** out) {
  char path[1024];
  std::snprintf(path, sizeof path, "%s/hello.txt", folder);
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return host->fail(nullptr, DSOPS_NOT_FOUND, "mine: no %s", path);
  std::fclose(file);
  *out = reinterpret_cast<dsops_image*>(std::malloc(1));
  return DSOPS_OK;
}

int32_t image_unload(dsops_image* image) {
  std::free(image);
  return DSOPS_OK;
}

// Its one kernel, toy_level, writes a 5 on the threads of the runtime.
struct Out {
  float* out;
  int64_t items;
};

int32_t launch(const dsops_exec* exec, const dsops_launch* request) {
  if (std::strcmp(request->kernel, "toy_level") != 0) {
    return host->fail(exec, DSOPS_NOT_FOUND, "mine has no %s", request->kernel);
  }
  const auto write = [](void* context, int64_t i) { static_cast<Out*>(context)->out[i] = 5; };
  Out out;
  std::memcpy(&out, request->args, sizeof out);
  host->parallel_for(exec, request->items, write, &out);
  return DSOPS_OK;
}

const dsops_backend kBackend = {sizeof(dsops_backend),
                                TOY_BACKEND_ABI,
                                0,
                                TOY_BACKEND_NAME,
                                2000,
                                1u << DSOPS_DEVICE_CPU,
                                "MY_DEVICES",
                                nullptr,
                                count,
                                cannot,
                                cannot,
                                cannot,
                                cannot,
                                cannot,
                                cannot,
                                cannot,
                                cannot,
                                cannot,
                                cannot,
                                cannot,
                                cannot,
                                cannot,
                                cannot,
                                cannot,
                                image_load,
                                image_unload,
                                launch};

}  // namespace

extern "C" DSOPS_API const dsops_backend* dsops_backend_v1(const dsops_host* given) {
  host = given;
  return &kBackend;
}
