#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

using Matrix = xt::xtensor<float, 2>;

// y = keep x / (1 - p) while training, y = x otherwise                   Srivastava et al. 2014
//   x, keep: (T, D), keep holds 0 with probability p and 1 otherwise   returns (T, D)
Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training);

// How much the results of the repaired dropout scatter while training: the variance of each number
// of the result over all that `keep` may be.   returns (T, D)
Matrix variance(const Matrix& x, float p);

// How many times too large the numbers are at inference, on average, behind this many layers that
// each have a dropout, where the second mistake is left in.
double too_large(int layers, float p);

}  // namespace xf::exercise
