// en: the sum went down a column: it is over the k of one row
// zh: 求和是沿列做的：应对同一行的 k 求和

#include "exercise.hpp"

namespace xf::exercise {

Tensor softmax_backward(const Tensor& y, const Tensor& dy, float scale) {
  Tensor dx = Tensor::empty(y.shape());
  const int columns = y.size(1);
  std::vector<float> sums(columns, 0.0f);
  for (int i = 0; i < y.count(); ++i) sums[i % columns] += dy.data(Cpu{})[i] * y.data(Cpu{})[i];
  for (int row = 0; row < y.size(0); ++row) {
    const float* y_row = y.data(Cpu{}) + row * columns;
    const float* dy_row = dy.data(Cpu{}) + row * columns;
    for (int j = 0; j < columns; ++j)
      dx.data(Cpu{})[row * columns + j] = scale * y_row[j] * (dy_row[j] - sums[j]);
  }
  return dx;
}

}  // namespace xf::exercise
