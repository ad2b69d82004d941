// en: dy_j - y_j sum(dy): that is the backward of log softmax
// zh: dy_j - y_j sum(dy)：那是 log softmax 的反向传播

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
      dx.data(Cpu{})[row * columns + j] = scale * (dy_row[j] - y_row[j] * dot);
  }
  return dx;
}

}  // namespace xf::exercise
