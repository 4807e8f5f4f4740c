// Knows: Adam as one GPU thread of a block does it, for cpu_adam (emu) and fused_adam.
// Does not know the formula (adam.h).
#pragma once

#include "common/adam.h"

namespace dsops {

template <AdamDecay kDecay>
DSOPS_FN void adam_part_by_threads(const AdamNumbers& numbers, const AdamPart& part) {
  const AdamTensor& t = part.tensor;
  each_element<kAdamThreads>(
      part.begin + thread_id(), part.end,
      [&](int64_t i) {
        return adam_value<kDecay>(numbers, load(t.param + i), load(t.grad + i), load(t.exp_avg + i),
                                  load(t.exp_avg_sq + i));
      },
      [&](int64_t i, const AdamValues& values) {
        store(t.param + i, values.param);
        store(t.exp_avg + i, values.exp_avg);
        store(t.exp_avg_sq + i, values.exp_avg_sq);
      });
}

DSOPS_FN void adam_block(const AdamArgs& args) {
  const AdamPart part = adam_part(args, block_id());
  switch (args.decay) {
    case AdamDecay::none:
      return adam_part_by_threads<AdamDecay::none>(args.numbers, part);
    case AdamDecay::decoupled:
      return adam_part_by_threads<AdamDecay::decoupled>(args.numbers, part);
    case AdamDecay::l2:
      return adam_part_by_threads<AdamDecay::l2>(args.numbers, part);
  }
}

}  // namespace dsops
