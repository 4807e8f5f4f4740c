// CPU kernel of `cpu_adam`: one loop for the vectoriser, as fast as memory is.
#include "common/adam.h"

namespace dsops {
namespace {

template <AdamDecay kDecay>
void adam_range(const AdamArgs& args, int64_t begin, int64_t end) {
  const AdamNumbers numbers = args.numbers;  // a copy: what is stored below can't change it
  for (int64_t item = begin; item < end; ++item) {
    const AdamPart part = adam_part(args, item);
    const AdamTensor t = part.tensor;
    DSOPS_INDEPENDENT
    for (int64_t i = part.begin; i < part.end; ++i) {
      const AdamValues values = adam_value<kDecay>(numbers, load(t.param + i), load(t.grad + i),
                                                   load(t.exp_avg + i), load(t.exp_avg_sq + i));
      store(t.param + i, values.param);
      store(t.exp_avg + i, values.exp_avg);
      store(t.exp_avg_sq + i, values.exp_avg_sq);
    }
  }
}

}  // namespace

DSOPS_CPU_KERNEL(adam_fp32, AdamArgs) {
  switch (args.decay) {
    case AdamDecay::none:
      return adam_range<AdamDecay::none>(args, begin, end);
    case AdamDecay::decoupled:
      return adam_range<AdamDecay::decoupled>(args, begin, end);
    case AdamDecay::l2:
      return adam_range<AdamDecay::l2>(args, begin, end);
  }
}

}  // namespace dsops
