#pragma once

#include <functional>

#include "support/kit.hpp"

namespace xf::exercise {

// y_nk = sum_d (x_nd - c_kd)^2, how far each of N points is from each of K centres.
//   x: (N, D)   c: (K, D)   returns (N, K)
// Recorded on the tape, where one is alive. Throws std::invalid_argument unless both have two axes
// and the same D; the message begins with "distances: " and holds both shapes.
Tensor distances(const Tensor& x, const Tensor& c);

// How far the gradient of `op` is from finite differences: the largest |by the tape - numeric| of
// all numbers of x, for the loss weighted_sum(op(x), weights). Differences of two points, x + h and
// x - h, with h = 0.01.   x: any shape; it is not changed   weights: the shape of op(x)
double gradient_error(const std::function<Tensor(const Tensor&)>& op, const Tensor& x,
                      const Tensor& weights);

}  // namespace xf::exercise
