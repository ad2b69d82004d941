// en: sentence b was read at b * D: dy[b, t, j] is number (b * T + t) * D + j
// zh: 第 b 句从 b * D 处读了：dy[b, t, j] 是第 (b * T + t) * D + j 个数

#include "exercise.hpp"

namespace xf::exercise {

Tensor embed_backward(const Ids& ids, const Tensor& dy, int vocabulary) {
  const int columns = dy.size(2);
  const float root_d = std::sqrt(static_cast<float>(columns));
  Tensor dweight = Tensor::zeros({vocabulary, columns});
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) {
    const auto b = i / ids.size(1), t = i % ids.size(1);
    const float* from = dy.data(Cpu{}) + (b * columns + t) * columns;
    float* row = dweight.data(Cpu{}) + ids[i] * columns;
    for (int j = 0; j < columns; ++j) row[j] += root_d * from[j];
  }
  return dweight;
}

}  // namespace xf::exercise
