// en: the sum was taken over k != j only: dy_j y_j belongs to it
// zh: 求和只算了 k != j 的项：dy_j y_j 也在内

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
          scale * y_row[j] * (dy_row[j] - (dot - dy_row[j] * y_row[j]));
  }
  return dx;
}

}  // namespace xf::exercise
