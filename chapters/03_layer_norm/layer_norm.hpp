#pragma once

#include "nn/init.hpp"
#include "ops/layer_norm/layer_norm.hpp"

namespace xf {

// LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, separately for each row of D
// features; the variance divides by D. Ba et al. 2016, eq. 4, without eps, which is from batch norm
// (Ioffe and Szegedy 2015, algorithm 1).
struct LayerNorm {
  Tensor gamma;  // (D), starts at 1
  Tensor beta;   // (D), starts at 0
  float eps;

  explicit LayerNorm(int d_model, float epsilon = 1e-5f)
      : gamma(constant({d_model}, 1.0f)), beta(constant({d_model}, 0.0f)), eps(epsilon) {}

  // x: (..., D)   returns the shape of x
  Tensor operator()(const Tensor& x) const { return layer_norm(x, gamma, beta, eps); }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("gamma", gamma);
    v("beta", beta);
  }
};

}  // namespace xf
