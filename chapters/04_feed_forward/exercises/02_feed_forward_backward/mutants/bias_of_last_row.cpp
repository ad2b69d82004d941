// en: db is the last row of the gradient, which overwrote the earlier ones: every row used the
//     bias, so the rows are added
// zh: db 是梯度的最后一行，前面的行都被它覆盖了：每行都用了偏置，所以各行要相加

#include "exercise.hpp"

namespace xf::exercise {

static Tensor sum_of_rows(const Tensor& x) {
  Tensor sums = Tensor::zeros({x.size(1)});
  for (std::ptrdiff_t i = 0; i < x.count(); ++i) sums.data(Cpu{})[i % x.size(1)] = x.data(Cpu{})[i];
  return sums;
}

LayerGradients feed_forward_backward(const Tensor& x, const Tensor& before, const Tensor& w_1,
                                     const Tensor& w_2, const Tensor& dy) {
  const Tensor hidden = relu(before);  // (R, Dff)
  Tensor d_before = matmul(dy, w_2);   // (R, Dff)
  for (std::ptrdiff_t i = 0; i < before.count(); ++i)
    if (!(before.data(Cpu{})[i] > 0)) d_before.data(Cpu{})[i] = 0;
  return {.dx = matmul(d_before, w_1),
          .dw_1 = matmul(transpose(d_before), x),
          .db_1 = sum_of_rows(d_before),
          .dw_2 = matmul(transpose(dy), hidden),
          .db_2 = sum_of_rows(dy)};
}

}  // namespace xf::exercise
