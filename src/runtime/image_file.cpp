#include "runtime/image_file.h"

#include <dlfcn.h>

#include "runtime/failure.h"

namespace dsops::runtime {

std::int32_t load_image_file(const std::string& path, ImageFile** out) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail(DSOPS_RUNTIME, "%s", dlerror());
  *out = new ImageFile{library, path};
  return DSOPS_OK;
}

void* find_symbol(const ImageFile& file, const char* name) {
  return dlsym(file.library, name);
}

std::int32_t find_kernel(const dsops_exec* exec, const dsops_launch& launch, void** out) {
  if (launch.struct_size < sizeof launch || launch.kernel == nullptr || launch.items < 0 ||
      launch.items_per_block < 1 || launch.grain < 0) {
    return exec->host->fail(exec, DSOPS_INVALID,
                            "bad launch of %s: struct_size %u, items %lld, items_per_block %d, "
                            "grain %lld",
                            launch.kernel == nullptr ? "NULL" : launch.kernel, launch.struct_size,
                            static_cast<long long>(launch.items), launch.items_per_block,
                            static_cast<long long>(launch.grain));
  }
  const ImageFile& file = *as_file(exec->image);
  *out = find_symbol(file, launch.kernel);
  if (*out != nullptr) return DSOPS_OK;
  return exec->host->fail(exec, DSOPS_NOT_FOUND, "kernel %s is not in %s", launch.kernel,
                          file.path.c_str());
}

std::int32_t unload_image_file(dsops_image* image) {
  if (image == nullptr) return DSOPS_OK;
  dlclose(as_file(image)->library);
  delete as_file(image);
  return DSOPS_OK;
}

}  // namespace dsops::runtime
