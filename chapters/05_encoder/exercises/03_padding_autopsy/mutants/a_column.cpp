// en: the mask is (B, S, 1), a number for each query: (B, 1, S) has one for each key
// zh: 掩码是 (B, S, 1)，每个查询一个数：(B, 1, S) 才是每个键一个数

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, words, 1}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int s = 0; s < words; ++s)
      if (ids.at(b, s) == pad) may[b * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
