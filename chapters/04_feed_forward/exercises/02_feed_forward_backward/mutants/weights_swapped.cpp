// en: dW_1 and dW_2 are swapped in the result: the order is dx, dW_1, db_1, dW_2, db_2
// zh: 结果里 dW_1 和 dW_2 放反了：次序是 dx、dW_1、db_1、dW_2、db_2

#include "exercise.hpp"

namespace xf::exercise {

static Tensor sum_of_rows(const Tensor& x) {
  Tensor sums = Tensor::zeros({x.size(1)});
  for (std::ptrdiff_t i = 0; i < x.count(); ++i)
    sums.data(Cpu{})[i % x.size(1)] += x.data(Cpu{})[i];
  return sums;
}

LayerGradients feed_forward_backward(const Tensor& x, const Tensor& before, const Tensor& w_1,
                                     const Tensor& w_2, const Tensor& dy) {
  const Tensor hidden = relu(before);  // (R, Dff)
  Tensor d_before = matmul(dy, w_2);   // (R, Dff)
  for (std::ptrdiff_t i = 0; i < before.count(); ++i)
    if (!(before.data(Cpu{})[i] > 0)) d_before.data(Cpu{})[i] = 0;
  return {.dx = matmul(d_before, w_1),
          .dw_1 = matmul(transpose(dy), hidden),
          .db_1 = sum_of_rows(d_before),
          .dw_2 = matmul(transpose(d_before), x),
          .db_2 = sum_of_rows(dy)};
}

}  // namespace xf::exercise
