// en: the sum was multiplied by sqrt(D) at every addition: each dy is multiplied once
// zh: 每加一次就把整个和乘了一遍 sqrt(D)：每个 dy 只乘一次

#include "exercise.hpp"

namespace xf::exercise {

Tensor embed_backward(const Ids& ids, const Tensor& dy, int vocabulary) {
  const int columns = dy.size(2);
  const float root_d = std::sqrt(static_cast<float>(columns));
  Tensor dweight = Tensor::zeros({vocabulary, columns});
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) {
    const float* from = dy.data(Cpu{}) + i * columns;
    float* row = dweight.data(Cpu{}) + ids[i] * columns;
    for (int j = 0; j < columns; ++j) row[j] = root_d * (row[j] + from[j]);
  }
  return dweight;
}

}  // namespace xf::exercise
