// en: the ids were read position by position, at t * B + b: id (b, t) is number b * T + t
// zh: id 按位置一批批地读，即 t * B + b：第 (b, t) 个 id 的编号是 b * T + t

#include "exercise.hpp"

namespace xf::exercise {

Tensor embed_backward(const Ids& ids, const Tensor& dy, int vocabulary) {
  const int columns = dy.size(2);
  const float root_d = std::sqrt(static_cast<float>(columns));
  Tensor dweight = Tensor::zeros({vocabulary, columns});
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) {
    const float* from = dy.data(Cpu{}) + i * columns;
    const std::ptrdiff_t b = i / ids.size(1), t = i % ids.size(1);
    float* row = dweight.data(Cpu{}) + ids[t * ids.size(0) + b] * columns;
    for (int j = 0; j < columns; ++j) row[j] += root_d * from[j];
  }
  return dweight;
}

}  // namespace xf::exercise
