// en: the last use of a word overwrote the earlier ones: every use adds its gradient
// zh: 同一个词后一次出现覆盖了前一次：每次出现的梯度都要累加

#include "exercise.hpp"

namespace xf::exercise {

Tensor embed_backward(const Ids& ids, const Tensor& dy, int vocabulary) {
  const int columns = dy.size(2);
  const float root_d = std::sqrt(static_cast<float>(columns));
  Tensor dweight = Tensor::zeros({vocabulary, columns});
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) {
    const float* from = dy.data(Cpu{}) + i * columns;
    float* row = dweight.data(Cpu{}) + ids[i] * columns;
    for (int j = 0; j < columns; ++j) row[j] = root_d * from[j];
  }
  return dweight;
}

}  // namespace xf::exercise
