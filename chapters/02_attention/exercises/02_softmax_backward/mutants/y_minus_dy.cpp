// en: y - dy: that is the gradient of softmax and cross-entropy together, p - t; here dy is any
//     gradient
// zh: y - dy：那是 softmax 与交叉熵合在一起的梯度 p - t；这里的 dy 是任意的梯度

#include "exercise.hpp"

namespace xf::exercise {

Tensor softmax_backward(const Tensor& y, const Tensor& dy, float scale) {
  Tensor dx = Tensor::empty(y.shape());
  const int columns = y.size(1);
  for (int row = 0; row < y.size(0); ++row) {
    const float* y_row = y.data(Cpu{}) + row * columns;
    const float* dy_row = dy.data(Cpu{}) + row * columns;
    for (int j = 0; j < columns; ++j)
      dx.data(Cpu{})[row * columns + j] = scale * (y_row[j] - dy_row[j]);
  }
  return dx;
}

}  // namespace xf::exercise
