#pragma once

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

  // x: (..., in)   returns (..., out)
  Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("weight", weight);
    v("bias", bias);
  }
};

}  // namespace xf
