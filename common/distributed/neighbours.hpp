#pragma once

#include <algorithm>
#include <span>

namespace xf {

// The order in which the shards of a batch are added, whichever threads and processes have computed
// them: neighbours first, then the sums of neighbours,
//   ((0 + 1) + (2 + 3)) + ((4 + 5) + 6).
// There is one slot per shard; this process has those in [first, last). A slot is null if there is
// nothing to add, or once add(sum, x) has added it to a slot on its left. What remains are the sums
// whose neighbour is in another process.
template <class Slot, class Add>
void add_neighbours(std::span<Slot> slots, int first, int last, const Add& add) {
  const int all = static_cast<int>(slots.size());
  for (int step = 1; step < all; step *= 2)
    for (int left = 0; left + step < all; left += 2 * step) {
      Slot &sum = slots[static_cast<std::size_t>(left)],
           &next = slots[static_cast<std::size_t>(left + step)];
      const bool here = left >= first && std::min(left + 2 * step, all) <= last;
      if (!here || !next) continue;
      if (sum)
        add(sum, next);
      else
        sum = next;
      next = {};
    }
}
template <class Slot, class Add>
void add_neighbours(std::span<Slot> slots, const Add& add) {
  add_neighbours(slots, 0, static_cast<int>(slots.size()), add);
}

}  // namespace xf
