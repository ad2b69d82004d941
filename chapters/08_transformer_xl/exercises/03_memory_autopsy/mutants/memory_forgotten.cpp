// en: only the segment was remembered: the older memory belongs before it
// zh: 只记住了本段：前面还应接上旧的记忆

#include "exercise.hpp"

namespace xf::exercise {

Tensor next_memory(const Tensor& memory, const Tensor& h, int memory_length, int extended_length) {
  const int last = std::max(0, h.size(1) - extended_length);
  const int first = std::max(0, last - memory_length);
  return detach(slice(h, 1, first, last - first));
}

}  // namespace xf::exercise
