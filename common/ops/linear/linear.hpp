#pragma once

#include <vector>

#include "autograd/tape.hpp"

namespace xf {

// y = x W^T + b, on every row of x.
//   x: (..., I)   weight: (O, I)   bias: (O), or an undefined tensor for none   returns (..., O)
// backward: dx = dy W, dW = dy^T x, db = the sum of dy over the rows.
// Throws std::invalid_argument when the sizes do not fit.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

// Several layers on the same x: linear() of each. For a single row without a tape, where it
// matters, the threads are started only once for all of them.
struct LinearWeights {
  const Tensor& weight;
  const Tensor& bias;
};
std::vector<Tensor> linear(const Tensor& x, const std::vector<LinearWeights>& layers);

}  // namespace xf
