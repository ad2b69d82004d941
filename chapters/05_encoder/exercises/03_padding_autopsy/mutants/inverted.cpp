// en: 1 was written for padding: 1 means "may be looked at"
// zh: 给填充写了 1：1 表示“可以看”

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, 1, words}, 0);
  for (int b = 0; b < sentences; ++b)
    for (int s = 0; s < words; ++s)
      if (ids.at(b, s) == pad) may[b * words + s] = 1;
  return {may};
}

}  // namespace xf::exercise
