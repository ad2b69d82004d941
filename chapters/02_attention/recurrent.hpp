#pragma once

#include <cmath>
#include <vector>

#include "02_attention/attention.hpp"
#include "nn/linear.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf {

// The network that attention replaced, without gates: each word updates a single state.
//   r_s = tanh(W r_{s-1} + x_s),   r_0 = 0
// `output` turns a state into logits.
struct Recurrent {
  Tensor table;   // (V, D)
  Linear w;       // (D, D), no bias
  Linear output;  // (V, D)

  // `gain`: W's standard deviation is gain / sqrt(D), so that |W r| is about gain times |r|.
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

// A translator made of two of them: one reads the source; the other starts from its last state and
// is given a context c_t of the source for each word that it writes.
//   r_s = tanh(W r_{s-1} + x_s),    r_0 = 0,    s = 1 ... S
//   h_t = tanh(U h_{t-1} + y_{t-1}),    h_0 = r_S,    logits_t = O tanh(h_t + C c_t)
//   one vector:   c_t = r_S                       Sutskever et al. 2014
//   attention:    c_t = attention(A h_t, r, r)    Luong et al. 2015, after Bahdanau et al. 2015
struct RecurrentTranslator {
  Linear w, u, c;  // (D, D), no bias
  Linear a;        // (D, D), no bias; unused with one vector
  Linear output;   // (V, D)
  bool attends;

  RecurrentTranslator(int vocabulary, int width, bool with_attention, Random& random)
      : w(width, width, random, false),
        u(width, width, random, false),
        c(width, width, random, false),
        a(width, width, random, false),
        output(width, vocabulary, random),
        attends(with_attention) {}

  // x: (B, S, D)   y: (B, T, D), y_0 ... y_{T-1}   returns logits (B, T, V)
  Tensor operator()(const Tensor& x, const Tensor& y) const {
    const int batch = x.size(0), width = x.size(2);
    Tensor r = Tensor::zeros({batch, 1, width}), states;  // (B, 1, D), (B, s, D)
    for (int s = 0; s < x.size(1); ++s) {
      r = tanh(w(r) + slice(x, 1, s, 1));
      states = states.defined() ? concat(states, r, 1) : r;
    }
    const Tensor keys = reshape(states, {batch, 1, x.size(1), width});  // one head
    Tensor h = r, written;                                              // (B, 1, D), (B, t, D)
    for (int t = 0; t < y.size(1); ++t) {
      h = tanh(u(h) + slice(y, 1, t, 1));
      const Tensor query = reshape(a(h), {batch, 1, 1, width});
      const Tensor context = attends ? reshape(attention(query, keys, keys), r.shape()) : r;
      const Tensor shown = tanh(h + c(context));
      written = written.defined() ? concat(written, shown, 1) : shown;
    }
    return output(written);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("w", w);
    v("u", u);
    v("c", c);
    if (attends) v("a", a);
    v("output", output);
  }
};

}  // namespace xf
