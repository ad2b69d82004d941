// en: the oldest states were kept: cut at the front, not at the end
// zh: 留下了最旧的状态：应从前面截掉，而不是从后面

#include "exercise.hpp"

namespace xf::exercise {

Tensor next_memory(const Tensor& memory, const Tensor& h, int memory_length, int extended_length) {
  const int present = memory.defined() ? memory.size(1) : 0, queries = h.size(1);
  const Tensor all = memory.defined() ? concat(memory, h, 1) : h;  // (B, M + T, D)
  const int last = present + std::max(0, queries - extended_length);
  const int first = std::max(0, last - memory_length);
  return detach(slice(all, 1, 0, last - first));
}

}  // namespace xf::exercise
