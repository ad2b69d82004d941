// en: the root of the scale was taken: the factor of the input is the factor of its gradient
// zh: 取了 scale 的平方根：输入乘多少，梯度就乘多少

#include "exercise.hpp"

namespace xf::exercise {

Tensor softmax_backward(const Tensor& y, const Tensor& dy, float scale) {
  Tensor dx = Tensor::empty(y.shape());
  const int columns = y.size(1);
  for (int row = 0; row < y.size(0); ++row) {
    const float* y_row = y.data(Cpu{}) + row * columns;
    const float* dy_row = dy.data(Cpu{}) + row * columns;
    float dot = 0;
    for (int k = 0; k < columns; ++k) dot += dy_row[k] * y_row[k];
    for (int j = 0; j < columns; ++j)
      dx.data(Cpu{})[row * columns + j] = std::sqrt(scale) * y_row[j] * (dy_row[j] - dot);
  }
  return dx;
}

}  // namespace xf::exercise
