// en: E was taken from first as well: first is last - memory_length, and E is part of last
// zh: first 里也减了 E：first 是 last - memory_length，E 已算在 last 里

#include "exercise.hpp"

namespace xf::exercise {

struct SegmentLengths {
  int query_length, present_length, memory_length, extended_length;
};

// [first, last) of the states [memory, h].
static std::pair<int, int> kept(const SegmentLengths& n) {
  const int last = n.present_length + std::max(0, n.query_length - n.extended_length);
  return {std::max(0, last - n.memory_length - n.extended_length), last};
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
