// en: every sentence wrote into the mask of the first: sentence b begins at b * words
// zh: 每一句都写进了第一句的掩码：第 b 句从 b * words 开始

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, 1, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int s = 0; s < words; ++s)
      if (ids.at(b, s) == pad) may[s] = 0;
  return {may};
}

}  // namespace xf::exercise
