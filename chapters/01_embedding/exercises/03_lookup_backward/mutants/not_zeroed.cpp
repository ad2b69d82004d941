// en: the sums did not start at 0: Tensor::empty holds garbage, Tensor::zeros does not
// zh: 累加不是从 0 开始：Tensor::empty 里是垃圾值，应用 Tensor::zeros

#include "exercise.hpp"

namespace xf::exercise {

Tensor embed_backward(const Ids& ids, const Tensor& dy, int vocabulary) {
  const int columns = dy.size(2);
  const float root_d = std::sqrt(static_cast<float>(columns));
  Tensor dweight = Tensor::empty({vocabulary, columns});
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) {
    const float* from = dy.data(Cpu{}) + i * columns;
    float* row = dweight.data(Cpu{}) + ids[i] * columns;
    for (int j = 0; j < columns; ++j) row[j] += root_d * from[j];
  }
  return dweight;
}

}  // namespace xf::exercise
