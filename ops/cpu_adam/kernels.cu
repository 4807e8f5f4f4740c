// `cpu_adam` on emu: the kernel of `fused_adam`.
#include "common/adam_block.h"

namespace dsops {

DSOPS_KERNEL(adam_fp32, AdamArgs, kAdamThreads) {
  adam_block(args);
}

}  // namespace dsops
