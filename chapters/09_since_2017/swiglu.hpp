#pragma once

#include "09_since_2017/rms_norm.hpp"

namespace xf {

// SwiGLU(x) = (silu(x W_gate^T) * x W_up^T) W_down^T                    Shazeer 2020, eq. 6
//   silu(z) = z / (1 + e^-z), * is element-wise
// The gate scales each feature of the up projection. With three matrices instead of two, Dff must
// be 2/3 of the plain network's for the same number of parameters. With gated = false (GPT-2), this
// is the feed-forward network of chapter 4:
//   FFN(x) = activation(x W_up^T) W_down^T
struct SwiGlu {
  std::function<Tensor(const Tensor&)> activation;
  bool gated;
  Linear w_gate, w_up;  // (Dff, D); without a gate, w_gate is undefined
  Linear w_down;        // (D, Dff)

  SwiGlu(const DecoderConfig& c, const std::string& name, const ParameterSource& source)
      : activation(c.activation),
        gated(c.gated),
        w_gate(c.gated
                   ? linear_from(source, name + ".w_gate", c.d_model, c.d_ff, c.feed_forward_bias)
                   : Linear(Tensor())),
        w_up(linear_from(source, name + ".w_up", c.d_model, c.d_ff, c.feed_forward_bias)),
        w_down(linear_from(source, name + ".w_down", c.d_ff, c.d_model, c.feed_forward_bias)) {}

  // x: (B, T, D)   returns (B, T, D)
  Tensor operator()(const Tensor& x) const {
    if (!gated) return w_down(activation(w_up(x)));
    const auto [gate, up] = outputs(x, w_gate, w_up);  // (B, T, Dff) each
    return w_down(multiply(activation(gate), up));     // (B, T, D)
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    if (gated) v("w_gate", w_gate);
    v("w_up", w_up);
    v("w_down", w_down);
  }
};

}  // namespace xf
