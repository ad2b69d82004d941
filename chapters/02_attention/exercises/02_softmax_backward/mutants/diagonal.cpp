// en: only the diagonal y (1 - y) of the Jacobian: an output of a softmax depends on every input of
// its row zh: 只用了雅可比矩阵的对角线 y (1 - y)：softmax 的每个输出依赖整行输入

#include "exercise.hpp"

namespace xf::exercise {

Tensor softmax_backward(const Tensor& y, const Tensor& dy, float scale) {
  Tensor dx = Tensor::empty(y.shape());
  for (std::ptrdiff_t i = 0; i < y.count(); ++i)
    dx.data()[i] = scale * y.data()[i] * (1 - y.data()[i]) * dy.data()[i];
  return dx;
}

}  // namespace xf::exercise
