// en: element (b, 0, s) stands at b * words + s: the factor words is missing
// zh: 元素 (b, 0, s) 的位置是 b * words + s：漏了乘 words

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, 1, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int s = 0; s < words; ++s)
      if (ids.at(b, s) == pad) may[b + s] = 0;
  return {may};
}

}  // namespace xf::exercise
