#pragma once

#include "nn/linear.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/elementwise/elementwise.hpp"

namespace xf {

enum class Activation { relu, gelu, silu };

inline Tensor activate(const Tensor& x, Activation activation) {
  if (activation == Activation::gelu) return gelu(x);
  if (activation == Activation::silu) return silu(x);
  return relu(x);
}

// FFN(x) = max(0, x W_1^T + b_1) W_2^T + b_2, position by position. Vaswani et al. 2017, eq. 2
struct FeedForward {
  Linear w_1;  // (Dff, D)
  Linear w_2;  // (D, Dff)
  Activation activation;
  float dropout_rate;  // on the hidden layer, during training

  FeedForward(int d_model, int d_ff, Activation kind, float dropout, Random& random)
      : w_1(d_model, d_ff, random),
        w_2(d_ff, d_model, random),
        activation(kind),
        dropout_rate(dropout) {}

  // x: (B, T, D)   returns (B, T, D)
  Tensor operator()(const Tensor& x) const {
    const Tensor hidden = activate(w_1(x), activation);  // (B, T, Dff)
    return w_2(dropout(hidden, dropout_rate));           // (B, T, D)
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("w_1", w_1);
    v("w_2", w_2);
  }
};

}  // namespace xf
