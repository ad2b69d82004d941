// en: only the first place of the padding was hidden: all of it is
// zh: 只遮住了第一个填充位置：所有填充都要遮

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, 1, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int s = 0; s < words; ++s)
      if (ids.at(b, s) == pad) {
        may[b * words + s] = 0;
        break;
      }
  return {may};
}

}  // namespace xf::exercise
