// en: one sum for all rows: each row has a sum of its own
// zh: 所有行共用了一个和：每一行应有自己的和

#include "exercise.hpp"

namespace xf::exercise {

Tensor softmax_backward(const Tensor& y, const Tensor& dy, float scale) {
  Tensor dx = Tensor::empty(y.shape());
  float dot = 0;
  for (std::ptrdiff_t i = 0; i < y.count(); ++i) dot += dy.data(Cpu{})[i] * y.data(Cpu{})[i];
  for (std::ptrdiff_t i = 0; i < y.count(); ++i)
    dx.data(Cpu{})[i] = scale * y.data(Cpu{})[i] * (dy.data(Cpu{})[i] - dot);
  return dx;
}

}  // namespace xf::exercise
