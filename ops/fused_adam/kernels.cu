// GPU kernel of `fused_adam`: one block per item.
#include "common/adam_block.h"

namespace dsops {

DSOPS_KERNEL(adam_fp32, AdamArgs, kAdamThreads) {
  adam_block(args);
}

}  // namespace dsops
