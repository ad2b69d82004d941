// en: only the first memory was detached: every one has to be
// zh: 只有第一次的记忆做了 detach：每一次都要做

#include "exercise.hpp"

namespace xf::exercise {

struct SegmentLengths {
  int query_length, present_length, memory_length, extended_length;
};

// [first, last) of the states [memory, h].
static std::pair<int, int> kept(const SegmentLengths& n) {
  const int last = n.present_length + std::max(0, n.query_length - n.extended_length);
  return {std::max(0, last - n.memory_length), last};
}

Tensor next_memory(const Tensor& memory, const Tensor& h, int memory_length, int extended_length) {
  const Tensor all = memory.defined() ? concat(memory, h, 1) : h;  // (B, M + T, D)
  const auto [first, last] = kept({.query_length = h.size(1),
                                   .present_length = memory.defined() ? memory.size(1) : 0,
                                   .memory_length = memory_length,
                                   .extended_length = extended_length});
  const Tensor next = slice(all, 1, first, last - first);
  return memory.defined() ? next : detach(next);
}

}  // namespace xf::exercise
