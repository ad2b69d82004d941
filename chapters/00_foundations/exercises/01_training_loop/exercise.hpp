#pragma once

#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

struct Model {
  xt::xtensor<float, 1> w;  // (K)
  float b = 0;
  xt::xtensor<float, 1> dw;  // (K), the gradients collected so far
  float db = 0;
};

// The loss 1/B sum_n (x_n w + b - y_n)^2. Adds its gradients to model.dw and model.db.
//   x: (B, K)   y: (B)   returns the loss
float backward(Model& model, const xt::xtensor<float, 2>& x, const xt::xtensor<float, 1>& y);

// Gradient descent through the rows in order, `batch` at a time, `epochs` times; the last batch of
// an epoch may be smaller. Changes model.w and model.b.
//   x: (N, K)   y: (N)   returns the mean loss of a row, for each epoch
std::vector<float> train(Model& model, const xt::xtensor<float, 2>& x,
                         const xt::xtensor<float, 1>& y, int epochs, int batch, float rate);

}  // namespace xf::exercise
