// en: the padding looks at nothing, but all look at it: clear the columns of keys, not rows
// zh: 遮住的是填充查询那几行，真正的词照样看得到填充：要清零的是键的列

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, words, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int t = 0; t < words; ++t)
      for (int s = 0; s < words; ++s)
        if (ids.at(b, t) == pad) may[(b * words + t) * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
