// en: the sum has y_j where y_k belongs: each dy_k counts by its own y_k
// zh: 求和里该用 y_k 的地方用了 y_j：每个 dy_k 乘自己的 y_k

#include "exercise.hpp"

namespace xf::exercise {

Tensor softmax_backward(const Tensor& y, const Tensor& dy, float scale) {
  Tensor dx = Tensor::empty(y.shape());
  const int columns = y.size(1);
  for (int row = 0; row < y.size(0); ++row) {
    const float* y_row = y.data(Cpu{}) + row * columns;
    const float* dy_row = dy.data(Cpu{}) + row * columns;
    float dot = 0;
    for (int k = 0; k < columns; ++k) dot += dy_row[k];
    for (int j = 0; j < columns; ++j)
      dx.data(Cpu{})[row * columns + j] = scale * y_row[j] * (dy_row[j] - y_row[j] * dot);
  }
  return dx;
}

}  // namespace xf::exercise
