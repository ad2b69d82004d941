// en: |T - E| was taken for max(0, T - E): with E above T nothing of the segment is kept
// zh: 把 max(0, T - E) 写成了 |T - E|：E 大于 T 时，本段什么都不留

#include "exercise.hpp"

namespace xf::exercise {

struct SegmentLengths {
  int query_length, present_length, memory_length, extended_length;
};

// [first, last) of the states [memory, h].
static std::pair<int, int> kept(const SegmentLengths& n) {
  const int last = n.present_length + std::abs(n.query_length - n.extended_length);
  return {std::max(0, last - n.memory_length), last};
}

Tensor next_memory(const Tensor& memory, const Tensor& h, int memory_length, int extended_length) {
  const Tensor all = memory.defined() ? concat(memory, h, 1) : h;  // (B, M + T, D)
  const auto [first, last] = kept({.query_length = h.size(1),
                                   .present_length = memory.defined() ? memory.size(1) : 0,
                                   .memory_length = memory_length,
                                   .extended_length = extended_length});
  return detach(slice(all, 1, first, last - first));
}

}  // namespace xf::exercise
