// en: the softmax was taken of y once more: y is the softmax already
// zh: 对 y 又做了一次 softmax：y 已经是 softmax 的结果

#include "exercise.hpp"

namespace xf::exercise {

Tensor softmax_backward(const Tensor& y, const Tensor& dy, float scale) {
  const Tensor again = softmax(y);
  Tensor dx = Tensor::empty(y.shape());
  const int columns = y.size(1);
  for (int row = 0; row < y.size(0); ++row) {
    const float* y_row = again.data(Cpu{}) + row * columns;
    const float* dy_row = dy.data(Cpu{}) + row * columns;
    float dot = 0;
    for (int k = 0; k < columns; ++k) dot += dy_row[k] * y_row[k];
    for (int j = 0; j < columns; ++j)
      dx.data(Cpu{})[row * columns + j] = scale * y_row[j] * (dy_row[j] - dot);
  }
  return dx;
}

}  // namespace xf::exercise
