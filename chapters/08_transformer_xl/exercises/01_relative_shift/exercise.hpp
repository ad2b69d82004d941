#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// From a score for each distance to a score for each key:
//   y_ij = x_i,(j + T-1-i)   for j <= M + i,   M = S - T          Dai et al. 2019, appendix B
//   by_distance: (T, S), S >= T   returns (T, S); the cells j > M + i may hold anything
xt::xtensor<float, 2> shift_to_keys(const xt::xtensor<float, 2>& by_distance);

// The softmax of each row of the above over the keys j <= M + i; 0 for the others.
//   by_distance: (T, S)   returns (T, S)
xt::xtensor<float, 2> weights_over_keys(const xt::xtensor<float, 2>& by_distance);

}  // namespace xf::exercise
