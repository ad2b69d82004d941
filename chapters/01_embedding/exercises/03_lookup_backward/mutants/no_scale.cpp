// en: the factor sqrt(D) of the forward is missing from the backward
// zh: 前向乘过 sqrt(D)，反向却漏了它

#include "exercise.hpp"

namespace xf::exercise {

Tensor embed_backward(const Ids& ids, const Tensor& dy, int vocabulary) {
  const int columns = dy.size(2);
  Tensor dweight = Tensor::zeros({vocabulary, columns});
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) {
    const float* from = dy.data(Cpu{}) + i * columns;
    float* row = dweight.data(Cpu{}) + ids[i] * columns;
    for (int j = 0; j < columns; ++j) row[j] += from[j];
  }
  return dweight;
}

}  // namespace xf::exercise
