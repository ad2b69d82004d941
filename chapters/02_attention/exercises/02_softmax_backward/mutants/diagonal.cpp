// en: only the diagonal y (1 - y): every output of a row depends on every input of it
// zh: 只用了对角线 y (1 - y)：一行里每个输出都依赖整行输入

#include "exercise.hpp"

namespace xf::exercise {

Tensor softmax_backward(const Tensor& y, const Tensor& dy, float scale) {
  Tensor dx = Tensor::empty(y.shape());
  for (std::ptrdiff_t i = 0; i < y.count(); ++i)
    dx.data(Cpu{})[i] = scale * y.data(Cpu{})[i] * (1 - y.data(Cpu{})[i]) * dy.data(Cpu{})[i];
  return dx;
}

}  // namespace xf::exercise
