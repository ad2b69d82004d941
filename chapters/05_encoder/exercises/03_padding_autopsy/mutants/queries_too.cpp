// en: the queries of the padding were masked as well: they may look at the words, nobody reads
//     what they give
// zh: 填充处的查询也被遮住了：它们可以看词，反正没人读它们的输出

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, words, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int t = 0; t < words; ++t)
      for (int s = 0; s < words; ++s)
        if (ids.at(b, s) == pad || ids.at(b, t) == pad) may[(b * words + t) * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
