// en: keys were masked, but padding was told by id == 0, and the mask has a row for each query
// zh: 遮的是键，但仍用 id == 0 判断填充，而且给每个查询都留了一行

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, words, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int t = 0; t < words; ++t)
      for (int s = 0; s < words; ++s)
        if (ids.at(b, s) == 0) may[(b * words + t) * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
