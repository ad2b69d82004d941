// en: only the last place of a sentence was looked at: the padding may be longer
// zh: 只看了句子的最后一个位置：填充可能不止一个

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, 1, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int s = words - 1; s < words; ++s)
      if (ids.at(b, s) == pad) may[b * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
