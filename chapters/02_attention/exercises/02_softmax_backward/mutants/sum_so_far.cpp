// en: the sum was still growing when it was used: it must be complete before the first dx_j
// zh: 求和还没做完就用了：要先求完和，再算第一个 dx_j

#include "exercise.hpp"

namespace xf::exercise {

Tensor softmax_backward(const Tensor& y, const Tensor& dy, float scale) {
  Tensor dx = Tensor::empty(y.shape());
  const int columns = y.size(1);
  for (int row = 0; row < y.size(0); ++row) {
    const float* y_row = y.data(Cpu{}) + row * columns;
    const float* dy_row = dy.data(Cpu{}) + row * columns;
    float dot = 0;
    for (int j = 0; j < columns; ++j) {
      dot += dy_row[j] * y_row[j];
      dx.data(Cpu{})[row * columns + j] = scale * y_row[j] * (dy_row[j] - dot);
    }
  }
  return dx;
}

}  // namespace xf::exercise
