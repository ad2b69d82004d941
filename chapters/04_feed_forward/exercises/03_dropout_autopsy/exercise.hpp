#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

using Matrix = xt::xtensor<float, 2>;

// y = keep x / (1 - p) while training, y = x otherwise                   Srivastava et al. 2014
//   x, keep: (T, D), keep holds 0 with probability p and 1 otherwise   returns (T, D)
Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training);

}  // namespace xf::exercise
