#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// y_b,t = x_b,t + P_(past + t).   x: (B, T, D)   positions: P, (max, D)   returns (B, T, D)
// Throws std::invalid_argument if one of the positions past ... past + T - 1 has no row in P.
xt::xtensor<float, 3> add_positions(const xt::xtensor<float, 3>& x,
                                    const xt::xtensor<float, 2>& positions, int past);

// The gradient with respect to P.   dy: (B, T, D)   max: rows of P   returns (max, D)
xt::xtensor<float, 2> positions_backward(const xt::xtensor<float, 3>& dy, int max, int past);

}  // namespace xf::exercise
