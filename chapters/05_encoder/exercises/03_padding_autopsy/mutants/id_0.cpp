// en: padding was told by id == 0: 0 may be a word, and the padding has an id of its own
// zh: 用 id == 0 判断填充：0 可能是一个词，填充有自己的 id

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, 1, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int s = 0; s < words; ++s)
      if (ids.at(b, s) == 0) may[b * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
