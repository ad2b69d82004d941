// en: number (r, j) was read at r * R + j: a row has C numbers, so it is r * C + j
// zh: 第 (r, j) 个数按 r * R + j 去读了：一行有 C 个数，应是 r * C + j

#include "exercise.hpp"

namespace xf::exercise {

Tensor softmax_backward(const Tensor& y, const Tensor& dy, float scale) {
  Tensor dx = Tensor::zeros(y.shape());
  const int columns = y.size(1);
  for (int row = 0; row < y.size(0); ++row) {
    const float* y_row = y.data(Cpu{}) + row * y.size(0);
    const float* dy_row = dy.data(Cpu{}) + row * y.size(0);
    float dot = 0;
    for (int k = 0; k < columns; ++k) dot += dy_row[k] * y_row[k];
    for (int j = 0; j < columns; ++j)
      dx.data(Cpu{})[row * y.size(0) + j] = scale * y_row[j] * (dy_row[j] - dot);
  }
  return dx;
}

}  // namespace xf::exercise
