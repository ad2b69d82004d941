// en: the mask has a row for each query, (B, S, S): all rows are alike, (B, 1, S) is asked for
// zh: 掩码给每个查询都留了一行，即 (B, S, S)：各行都相同，要的是 (B, 1, S)

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, words, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int t = 0; t < words; ++t)
      for (int s = 0; s < words; ++s)
        if (ids.at(b, s) == pad) may[(b * words + t) * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
