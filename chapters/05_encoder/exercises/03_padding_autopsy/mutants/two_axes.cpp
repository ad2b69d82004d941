// en: the mask has the shape of the ids, (B, S): the axis of the queries is missing, (B, 1, S)
// zh: 掩码的形状与 ids 相同，即 (B, S)：缺了查询那个轴，应为 (B, 1, S)

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int s = 0; s < words; ++s)
      if (ids.at(b, s) == pad) may[b * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
