// Knows images that are shared libraries of this host: those of cpu and emu.
// Does not know which of several images to take.
#pragma once

#include <cstdint>
#include <string>

#include "dsops/backend.h"

namespace dsops::runtime {

/// A loaded image; what dsops_image* points to in these backends.
struct ImageFile {
  void* library = nullptr;
  std::string path;
};

inline ImageFile* as_file(dsops_image* image) {
  return reinterpret_cast<ImageFile*>(image);
}
inline dsops_image* as_image(ImageFile* file) {
  return reinterpret_cast<dsops_image*>(file);
}

/// Loads an image that exists, or fails with the loader's words.
std::int32_t load_image_file(const std::string& path, ImageFile** out);

/// Address of a symbol of an image; nullptr if it has none.
void* find_symbol(const ImageFile& file, const char* name);

/// Checks a launch and finds its kernel in exec->image; what is wrong is a failure of the call.
std::int32_t find_kernel(const dsops_exec* exec, const dsops_launch& launch, void** out);

/// dsops_backend::image_unload for these images.
std::int32_t unload_image_file(dsops_image* image);

}  // namespace dsops::runtime
