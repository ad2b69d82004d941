// en: dx was divided by the number of columns: nothing here is a mean
// zh: dx 除以了列数：这里没有哪一项是平均

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
      dx.data(Cpu{})[row * columns + j] =
          scale * y_row[j] * (dy_row[j] - dot) / static_cast<float>(columns);
  }
  return dx;
}

}  // namespace xf::exercise
