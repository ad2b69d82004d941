#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// Pad with a column of zeros in front, view as (S + 1, T), drop the first row, view as (T, S).
//                                                            Dai et al. 2019, appendix B
//   x: (T, S), S >= T   returns (T, S)
xt::xtensor<float, 2> relative_shift(const xt::xtensor<float, 2>& x);

// The gradient by x.   dy: (T, S)   returns (T, S)
xt::xtensor<float, 2> relative_shift_backward(const xt::xtensor<float, 2>& dy);

}  // namespace xf::exercise
