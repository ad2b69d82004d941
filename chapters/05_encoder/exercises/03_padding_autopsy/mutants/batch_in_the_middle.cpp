// en: the mask is (1, B, S): the batch is the first axis, (B, 1, S)
// zh: 掩码成了 (1, B, S)：批次是第一个轴，应为 (B, 1, S)

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({1, sentences, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int s = 0; s < words; ++s)
      if (ids.at(b, s) == pad) may[b * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
