// en: both mistakes are still there: id == 0 for padding, and queries masked for keys
// zh: 两处错误都还在：用 id == 0 判断填充，遮的又是查询而不是键

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, words, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int t = 0; t < words; ++t)
      for (int s = 0; s < words; ++s)
        if (ids.at(b, t) == 0) may[(b * words + t) * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
