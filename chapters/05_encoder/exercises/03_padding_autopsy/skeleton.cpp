#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  TODO("05-03: my/05-03_padding_autopsy.cpp");
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, words, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int t = 0; t < words; ++t)
      for (int s = 0; s < words; ++s)
        if (ids.at(b, t) == 0) may[(b * words + t) * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
