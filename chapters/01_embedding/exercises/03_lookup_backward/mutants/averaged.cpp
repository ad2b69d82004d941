// en: divided by how often the word occurs: the gradients of its uses are added, not averaged
// zh: 除以了词出现的次数：各次出现的梯度应相加，不是取平均

#include <algorithm>

#include "exercise.hpp"

namespace xf::exercise {

Tensor embed_backward(const Ids& ids, const Tensor& dy, int vocabulary) {
  const int columns = dy.size(2);
  const float root_d = std::sqrt(static_cast<float>(columns));
  Tensor dweight = Tensor::zeros({vocabulary, columns});
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) {
    const float* from = dy.data(Cpu{}) + i * columns;
    float* row = dweight.data(Cpu{}) + ids[i] * columns;
    const auto uses = std::count(ids.begin(), ids.end(), ids[i]);
    for (int j = 0; j < columns; ++j) row[j] += root_d * from[j] / static_cast<float>(uses);
  }
  return dweight;
}

}  // namespace xf::exercise
