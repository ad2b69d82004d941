// en: the last word before the padding was hidden too: it is a word
// zh: 填充前的最后一个词也被遮住了：它是词

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, 1, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int s = 0; s < words; ++s)
      if (ids.at(b, s) == pad || (s + 1 < words && ids.at(b, s + 1) == pad)) may[b * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
