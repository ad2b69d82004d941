// en: dy was read position by position, at t * B + b: its rows lie by sentence, at b * T + t
// zh: dy 按位置一批批地读，即 t * B + b：它是一句接一句存的，应为 b * T + t

#include "exercise.hpp"

namespace xf::exercise {

Tensor embed_backward(const Ids& ids, const Tensor& dy, int vocabulary) {
  const int columns = dy.size(2);
  const float root_d = std::sqrt(static_cast<float>(columns));
  Tensor dweight = Tensor::zeros({vocabulary, columns});
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) {
    const std::ptrdiff_t b = i / ids.size(1), t = i % ids.size(1);
    const float* from = dy.data(Cpu{}) + (t * ids.size(0) + b) * columns;
    float* row = dweight.data(Cpu{}) + ids[i] * columns;
    for (int j = 0; j < columns; ++j) row[j] += root_d * from[j];
  }
  return dweight;
}

}  // namespace xf::exercise
