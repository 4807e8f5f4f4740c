// `fused_adam`: Adam and AdamW over many tensors in the memory of a GPU.
#include "common/adam_host.h"

namespace {

constexpr dsops_op kOp =
    dsops::op("fused_adam", "1.0.0", "Adam and AdamW for parameters on a GPU, multi-tensor",
              dsops::kAdamFunctions);

}  // namespace

DSOPS_EXPORT_OP(kOp)
