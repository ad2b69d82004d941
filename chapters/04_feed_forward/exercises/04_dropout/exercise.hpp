#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

struct Dropped {
  xt::xtensor<float, 2> y, mask;  // (R, C); the mask is 0 or 1 / (1 - p), outside of training 1
};

// y = x m, where m is 1 / (1 - p) for u >= p and else 0.      Srivastava et al. 2014
//   x, u: (R, C), u uniform in [0, 1)   p: in [0, 1)
Dropped dropout_forward(const xt::xtensor<float, 2>& x, const xt::xtensor<float, 2>& u, float p,
                        bool training);

// The gradient by x.   dy: (R, C)   dropped: what the forward pass returned   returns (R, C)
xt::xtensor<float, 2> dropout_backward(const xt::xtensor<float, 2>& dy, const Dropped& dropped);

// The mean of y^2 over all u, in training.   x: (R, C)   returns (R, C)
xt::xtensor<float, 2> expected_square(const xt::xtensor<float, 2>& x, float p);

}  // namespace xf::exercise
