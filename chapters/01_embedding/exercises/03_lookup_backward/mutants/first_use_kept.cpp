// en: only the first use of a word counted: every use adds its gradient
// zh: 只有词第一次出现时算了数：每次出现都要把梯度加上

#include <algorithm>

#include "exercise.hpp"

namespace xf::exercise {

Tensor embed_backward(const Ids& ids, const Tensor& dy, int vocabulary) {
  const int columns = dy.size(2);
  const float root_d = std::sqrt(static_cast<float>(columns));
  Tensor dweight = Tensor::zeros({vocabulary, columns});
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) {
    if (std::find(ids.begin(), ids.begin() + i, ids[i]) != ids.begin() + i) continue;
    const float* from = dy.data(Cpu{}) + i * columns;
    float* row = dweight.data(Cpu{}) + ids[i] * columns;
    for (int j = 0; j < columns; ++j) row[j] += root_d * from[j];
  }
  return dweight;
}

}  // namespace xf::exercise
