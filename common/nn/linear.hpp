#pragma once

#include <algorithm>
#include <array>

#include "nn/init.hpp"
#include "ops/linear/linear.hpp"

namespace xf {

// y = x W^T + b with learned W (out, in) and b (out).
struct Linear {
  Tensor weight;  // (out, in)
  Tensor bias;    // (out), undefined without a bias

  Linear(int in, int out, Random& random, bool with_bias = true)
      : weight(xavier_uniform(out, in, random)) {
    if (with_bias) bias = constant({out}, 0.0f);
  }
  // Uses existing parameters.
  explicit Linear(Tensor given_weight, Tensor given_bias = {})
      : weight(std::move(given_weight)), bias(std::move(given_bias)) {}

  // x: (..., in)   returns (..., out)
  Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("weight", weight);
    v("bias", bias);
  }
};

// Several layers applied to the same x, with their outputs in order: each (..., out)
//   const auto [q, k, v] = outputs(x, w_q, w_k, w_v);
template <class... Layers>
std::array<Tensor, sizeof...(Layers)> outputs(const Tensor& x, const Layers&... layers) {
  std::vector<Tensor> all = linear(x, {LinearWeights{layers.weight, layers.bias}...});
  std::array<Tensor, sizeof...(Layers)> result;
  std::move(all.begin(), all.end(), result.begin());
  return result;
}

}  // namespace xf
