#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

using Rows = xt::xtensor<float, 2>;

// The width at which three matrices have as many weights as two of the width `plain`: two thirds of
// it, without the fraction, rounded up to the next multiple of `multiple`.
int equal_width(int plain, int multiple);

// y = (silu(x W_gate^T) * (x W_up^T)) W_down^T                              Shazeer 2020, eq. 6
//   x: (R, D)   w_gate, w_up: (F, D)   w_down: (D, F)   returns (R, D)
Rows swiglu(const Rows& x, const Rows& w_gate, const Rows& w_up, const Rows& w_down);

struct GateGradients {
  Rows dgate, dup;  // (R, F)
};

// The backward of h = silu(gate) * up.   gate, up, dh: (R, F)
GateGradients gate_backward(const Rows& gate, const Rows& up, const Rows& dh);

}  // namespace xf::exercise
