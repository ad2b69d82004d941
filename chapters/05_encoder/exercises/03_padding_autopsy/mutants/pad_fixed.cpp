// en: the id of the padding was written into the code as 1: it is the argument pad
// zh: 填充的 id 在代码里写死成了 1：它是参数 pad

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, 1, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int s = 0; s < words; ++s)
      if (ids.at(b, s) == 1) may[b * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
