// en: two mistakes: uses of a word overwrite each other instead of adding up, and the factor
//     sqrt(D) is missing
// zh: 两处错：同一个词的几次出现互相覆盖而没有累加，并且漏了因子 sqrt(D)

#include "exercise.hpp"

namespace xf::exercise {

Tensor embed_backward(const Ids& ids, const Tensor& dy, int vocabulary) {
  const int columns = dy.size(2);
  Tensor dweight = Tensor::zeros({vocabulary, columns});
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) {
    const float* from = dy.data(Cpu{}) + i * columns;
    float* row = dweight.data(Cpu{}) + ids[i] * columns;
    for (int j = 0; j < columns; ++j) row[j] = from[j];
  }
  return dweight;
}

}  // namespace xf::exercise
