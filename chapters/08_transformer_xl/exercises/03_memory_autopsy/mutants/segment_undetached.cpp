// en: the segment was not detached, only the old memory was: the next segment's gradients flow
//     into it
// zh: 只 detach 了旧的记忆，本段没有：下一段的梯度会流进来

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
  const Tensor all = memory.defined() ? concat(detach(memory), h, 1) : h;  // (B, M + T, D)
  const auto [first, last] = kept({.query_length = h.size(1),
                                   .present_length = memory.defined() ? memory.size(1) : 0,
                                   .memory_length = memory_length,
                                   .extended_length = extended_length});
  return slice(all, 1, first, last - first);
}

}  // namespace xf::exercise
