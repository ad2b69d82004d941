// en: only the terms with k != j, -y_j y_k dy_k: that of j itself, y_j (1 - y_j) dy_j, is missing
// zh: 只有 k != j 的项 -y_j y_k dy_k：漏了 j 自己的 y_j (1 - y_j) dy_j

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
      dx.data(Cpu{})[row * columns + j] = -scale * y_row[j] * (dot - dy_row[j] * y_row[j]);
  }
  return dx;
}

}  // namespace xf::exercise
