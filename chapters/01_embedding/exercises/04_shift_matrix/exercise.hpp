#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// R_k with PE_(t+k) = PE_t R_k for every t, where PE_t,2i = sin(t w_i), PE_t,2i+1 = cos(t w_i),
// w_i = 10000^(-2i / D).   d: D, even   returns (D, D)
xt::xtensor<float, 2> shift_matrix(int k, int d);

// x R_k, without the matrix.   x: (T, D)   returns (T, D)
xt::xtensor<float, 2> moved(const xt::xtensor<float, 2>& x, int k);

}  // namespace xf::exercise
