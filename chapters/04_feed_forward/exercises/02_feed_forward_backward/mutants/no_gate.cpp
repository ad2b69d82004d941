// en: the max is missing on the way back: where it switched off, nothing may pass
// zh: 反向时漏了 max：前向被关掉的地方，梯度不能通过

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
  const Tensor hidden = relu(before);       // (R, Dff)
  const Tensor d_before = matmul(dy, w_2);  // (R, Dff)
  return {.dx = matmul(d_before, w_1),
          .dw_1 = matmul(transpose(d_before), x),
          .db_1 = sum_of_rows(d_before),
          .dw_2 = matmul(transpose(dy), hidden),
          .db_2 = sum_of_rows(dy)};
}

}  // namespace xf::exercise
