#include "exercise.hpp"

namespace xf::exercise {

int equal_width(int plain, int multiple) {
  const int width = 2 * plain / 3;
  return (width + multiple - 1) / multiple * multiple;
}

static Rows sigmoid(const Rows& x) { return 1.0f / (1.0f + xt::exp(-x)); }

Rows swiglu(const Rows& x, const Rows& w_gate, const Rows& w_up, const Rows& w_down) {
  const Rows gate = xt::linalg::dot(x, xt::transpose(w_gate));  // (R, F)
  const Rows up = xt::linalg::dot(x, xt::transpose(w_up));      // (R, F)
  const Rows hidden = gate * sigmoid(gate) * up;                // (R, F)
  return xt::linalg::dot(hidden, xt::transpose(w_down));        // (R, D)
}

GateGradients gate_backward(const Rows& gate, const Rows& up, const Rows& dh) {
  const Rows s = sigmoid(gate);
  const Rows dsilu = s + gate * s * (1.0f - s);
  return {dh * up * dsilu, dh * gate * s};
}

}  // namespace xf::exercise
