// Knows how work items are split in contiguous ranges. Pure: the same input gives the same split.
// Does not know threads or kernels.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dsops::runtime {

/// Ranges of whole blocks of items, as equal as they can be; only the last one may end in a part of
/// a block.
struct Ranges {
  std::int64_t items = 0;
  std::int64_t items_per_block = 1;
  std::int64_t blocks = 0;
  std::int64_t count = 0;  ///< number of ranges; 0 if there are no items

  /// First item of range i; items for i == count.
  std::int64_t begin(std::int64_t i) const {
    const std::int64_t block = blocks / count * i + std::min(i, blocks % count);
    return block >= blocks ? items : block * items_per_block;
  }
};

/// At most `threads` ranges, each of `grain` items or more where there are so many.
/// items >= 0, the others >= 1.
inline Ranges split(std::int64_t items, std::int64_t items_per_block, std::int64_t grain,
                    std::int64_t threads) {
  Ranges ranges;
  ranges.items = items;
  ranges.items_per_block = items_per_block;
  ranges.blocks = items / items_per_block + (items % items_per_block != 0 ? 1 : 0);
  const std::int64_t blocks_worth_a_thread = std::max<std::int64_t>(1, grain / items_per_block);
  ranges.count =
      std::min(threads, std::max<std::int64_t>(1, ranges.blocks / blocks_worth_a_thread));
  if (items == 0) ranges.count = 0;
  return ranges;
}

}  // namespace dsops::runtime
