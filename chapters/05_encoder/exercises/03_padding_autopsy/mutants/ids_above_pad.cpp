// en: ids below pad were taken for padding: an id is a name, not a size
// zh: 把小于 pad 的 id 也当成了填充：id 只是编号，不分大小

#include "exercise.hpp"

namespace xf::exercise {

Mask padding_mask(const Ids& ids, std::int32_t pad) {
  const int sentences = ids.size(0), words = ids.size(1);
  Ids may = Ids::full({sentences, 1, words}, 1);
  for (int b = 0; b < sentences; ++b)
    for (int s = 0; s < words; ++s)
      if (ids.at(b, s) <= pad) may[b * words + s] = 0;
  return {may};
}

}  // namespace xf::exercise
