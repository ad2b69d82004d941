#pragma once

#include <cmath>
#include <vector>

#include "nn/linear.hpp"
#include "ops/elementwise/elementwise.hpp"

namespace xf {

// What there was before attention, without gates: a state that each word changes.
//   r_s = tanh(W r_{s-1} + x_s),   r_0 = 0
// `output` makes logits of a state.
struct Recurrent {
  Tensor table;   // (V, D)
  Linear w;       // (D, D), no bias
  Linear output;  // (V, D)

  // `gain`: W is drawn with deviation gain / sqrt(D), so that W r is about gain times as long as r.
  Recurrent(int vocabulary, int width, double gain, Random& random)
      : table(normal({vocabulary, width}, 0.5, random)),
        w(width, width, random, false),
        output(width, vocabulary, random) {
    w.weight = normal({width, width}, gain / std::sqrt(double(width)), random);
  }

  // x: per step (B, 1, D)   returns the last state, (B, 1, D)
  Tensor operator()(const std::vector<Tensor>& x) const {
    Tensor r = Tensor::zeros(x[0].shape());
    for (const Tensor& x_s : x) r = tanh(w(r) + x_s);  // (B, 1, D)
    return r;
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("table", table);
    v("w", w);
    v("output", output);
  }
};

}  // namespace xf
