#include "runtime/bundle.h"

#include <algorithm>

#include "runtime/failure.h"
#include "runtime/system.h"

namespace dsops::runtime {
std::int32_t open_bundle(const char* path, std::unique_ptr<dsops_bundle>& out) {
  auto bundle = std::make_unique<dsops_bundle>();
  if (path != nullptr && *path == '\0') return fail(DSOPS_INVALID, "the bundle's path is empty");
  const std::int32_t status = find_bundle(path == nullptr ? "" : path, bundle->folder);
  if (status != DSOPS_OK) return status;
  for (const std::string& name : bundle->folder.ops) {
    auto op = std::make_unique<Op>();
    op->name = name;
    op->library_path = bundle->folder.libraries + "/" + name + ".so";
    op->images = bundle->folder.path + "/images/" + name;
    op->accelerators = list_folder(op->images);
    op->accelerators_text = join(op->accelerators);
    bundle->ops.push_back(std::move(op));
  }
  out = std::move(bundle);
  return DSOPS_OK;
}

Op* find_op(dsops_bundle& bundle, const char* name) {
  for (const std::unique_ptr<Op>& op : bundle.ops) {
    if (name != nullptr && op->name == name) return op.get();
  }
  fail(DSOPS_NOT_FOUND, "no op %s in the bundle %s (it has: %s)", name == nullptr ? "NULL" : name,
       bundle.folder.path.c_str(), join(bundle.folder.ops).c_str());
  return nullptr;
}

std::int32_t load_op(Op& op) {
  const std::scoped_lock lock(op.mutex);
  if (op.library != nullptr) return DSOPS_OK;
  if (const std::int32_t status = load_op_library(op.library_path, op.name, op.library)) {
    return status;
  }
  for (const auto& callable : op.library->callables) callable->op = &op;
  return DSOPS_OK;
}

std::int32_t load_image(Op& op, const dsops_backend& backend, std::int32_t device,
                        dsops_image** out) {
  const std::scoped_lock lock(op.mutex);
  for (const Op::Image& image : op.loaded) {
    if (image.backend != &backend || image.device != device) continue;
    *out = image.image;
    return DSOPS_OK;
  }
  if (std::find(op.accelerators.begin(), op.accelerators.end(), backend.name) ==
      op.accelerators.end()) {
    return fail(DSOPS_NOT_FOUND, "%s: the bundle has no images for %s (it has: %s)",
                op.name.c_str(), backend.name, op.accelerators_text.c_str());
  }
  const std::string folder = op.images + "/" + backend.name;
  if (const std::int32_t status = backend.image_load(device, folder.c_str(), out)) return status;
  op.loaded.push_back({&backend, device, *out});
  return DSOPS_OK;
}

}  // namespace dsops::runtime

dsops_bundle::~dsops_bundle() {
  for (const auto& op : ops) {
    for (const auto& image : op->loaded) image.backend->image_unload(image.image);
  }
}
