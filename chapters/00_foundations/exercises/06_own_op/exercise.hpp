#pragma once

#include <functional>

#include "support/kit.hpp"

namespace xf::exercise {

// y_nk = sum_d (x_nd - c_kd)^2, the squared distance of each of N points from each of K centres.
//   x: (N, D)   c: (K, D)   returns (N, K)
// Recorded on the tape if one is alive. Throws std::invalid_argument unless both have two axes
// and the same D; the message begins with "distances: " and contains both shapes.
Tensor distances(const Tensor& x, const Tensor& c);

// The largest difference between the tape's gradient of weighted_sum(op(x), weights) and the
// numerical gradient, over all elements of x. The numerical gradient compares the points x + h and
// x - h, with h = 0.01.   x: any shape; it is not changed   weights: the shape of op(x)
double gradient_error(const std::function<Tensor(const Tensor&)>& op, const Tensor& x,
                      const Tensor& weights);

}  // namespace xf::exercise
