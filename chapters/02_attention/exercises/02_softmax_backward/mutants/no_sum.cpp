// en: each output was differentiated by its own input only: the sum over the row is missing
// zh: 只让每个输出对自己的输入求了导：漏了对整行的求和

#include "exercise.hpp"

namespace xf::exercise {

Tensor softmax_backward(const Tensor& y, const Tensor& dy, float scale) {
  Tensor dx = Tensor::empty(y.shape());
  const int columns = y.size(1);
  for (int row = 0; row < y.size(0); ++row) {
    const float* y_row = y.data(Cpu{}) + row * columns;
    const float* dy_row = dy.data(Cpu{}) + row * columns;
    for (int j = 0; j < columns; ++j)
      dx.data(Cpu{})[row * columns + j] = scale * y_row[j] * dy_row[j];
  }
  return dx;
}

}  // namespace xf::exercise
