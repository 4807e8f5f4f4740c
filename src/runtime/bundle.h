// Knows an open bundle: its ops, loaded when they are first asked for, and their images, loaded
// when first run on a device. Does not know how a call is checked.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dsops/backend.h"
#include "runtime/bundle_folder.h"
#include "runtime/op_library.h"

namespace dsops::runtime {

/// An op of a bundle.
struct Op {
  struct Image {
    const dsops_backend* backend;
    std::int32_t device;
    dsops_image* image;
  };

  std::string name;
  std::string library_path;
  std::string images;                     ///< folder images/<op>
  std::vector<std::string> accelerators;  ///< those it has a folder of images for, sorted
  std::string accelerators_text;          ///< the same, separated by ", "

  std::mutex mutex;  // guards the two below
  std::unique_ptr<OpLibrary> library;
  std::vector<Image> loaded;
};

/// Loads the op's library if that was not done.
std::int32_t load_op(Op& op);

/// The op's image for a device, loaded if that was not done.
std::int32_t load_image(Op& op, const dsops_backend& backend, std::int32_t device,
                        dsops_image** out);

}  // namespace dsops::runtime

struct dsops_bundle {
  ~dsops_bundle();

  dsops::runtime::BundleFolder folder;
  std::vector<std::unique_ptr<dsops::runtime::Op>> ops;  ///< in the order of their names
};

namespace dsops::runtime {

std::int32_t open_bundle(const char* path, std::unique_ptr<dsops_bundle>& out);

/// The op of a name; nullptr after a failure that says which there are.
Op* find_op(dsops_bundle& bundle, const char* name);

}  // namespace dsops::runtime
