// en: exp(y) stands where y belongs: y is the softmax already
// zh: 该用 y 的地方用了 exp(y)：y 已经是 softmax 的结果

#include "exercise.hpp"

namespace xf::exercise {

Tensor softmax_backward(const Tensor& y, const Tensor& dy, float scale) {
  Tensor dx = Tensor::empty(y.shape());
  const int columns = y.size(1);
  for (int row = 0; row < y.size(0); ++row) {
    const float* y_row = y.data(Cpu{}) + row * columns;
    const float* dy_row = dy.data(Cpu{}) + row * columns;
    float dot = 0;
    for (int k = 0; k < columns; ++k) dot += dy_row[k] * std::exp(y_row[k]);
    for (int j = 0; j < columns; ++j)
      dx.data(Cpu{})[row * columns + j] = scale * std::exp(y_row[j]) * (dy_row[j] - dot);
  }
  return dx;
}

}  // namespace xf::exercise
