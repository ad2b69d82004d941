// en: the first sentence's padding was used for all: every sentence has its own
// zh: 所有句子都用了第一句的填充：每句的填充各不相同

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, 1, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int s = 0; s < words; ++s)
      if (ids.at(0, s) == pad) may[b * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
