// `cpu_adam`: Adam and AdamW over many tensors in host memory.
#include "common/adam_host.h"

namespace {

constexpr dsops_op kOp =
    dsops::op("cpu_adam", "1.0.0", "Adam and AdamW for parameters in host memory, multi-tensor",
              dsops::kAdamFunctions);

}  // namespace

DSOPS_EXPORT_OP(kOp)
