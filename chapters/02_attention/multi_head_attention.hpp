#pragma once

#include "02_attention/attend.hpp"
#include "nn/linear.hpp"

namespace xf {

// MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O               Vaswani et al. 2017, 3.2.2
//   head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
// The h projections of size (Dk, D) are one matrix (D, D); the heads are columns of its output.
struct MultiHeadAttention {
  int heads;
  float dropout_rate;
  Linear w_q, w_k, w_v, w_o;  // each (D, D)

  // Throws std::invalid_argument when `heads` does not divide d_model.
  MultiHeadAttention(int d_model, int head_count, float dropout, Random& random)
      : heads(head_count),
        dropout_rate(dropout),
        w_q(d_model, d_model, random),
        w_k(d_model, d_model, random),
        w_v(d_model, d_model, random),
        w_o(d_model, d_model, random) {
    if (head_count < 1 || d_model % head_count != 0)
      throw std::invalid_argument("multi_head_attention: " + std::to_string(head_count) +
                                  " heads do not divide d_model " + std::to_string(d_model));
  }

  // The keys and values of x, for later queries.   x: (B, S, D)   returns (B, S, D) twice
  KeysValues keys_values(const Tensor& x) const {
    const Tensor k = w_k(x);
    const Tensor v = w_v(x);
    return {k, v};
  }

  // Queries from x attend to `to`: in self-attention to x itself, in cross attention to the
  // encoder's output.
  //   x: (B, T, D)   to: (B, S, D)   mask: (B|1, T|1, S)   returns (B, T, D)
  Tensor operator()(const Tensor& x, const Tensor& to, const Mask& mask = {}) const {
    const auto [q, k, v] = projections(x, to);                   // (B, T, D), and (B, S, D) twice
    return w_o(attend(q, {k, v}, {heads, mask, dropout_rate}));  // (B, T, D)
  }
  // The same with keys and values that are already projected.
  Tensor operator()(const Tensor& x, const KeysValues& to, const Mask& mask = {}) const {
    return w_o(attend(w_q(x), to, {heads, mask, dropout_rate}));
  }

  // x W_q, to W_k and to W_v; in self-attention, one call computes all three products.
  std::array<Tensor, 3> projections(const Tensor& x, const Tensor& to) const {
    if (&x == &to) return outputs(x, w_q, w_k, w_v);
    const Tensor q = w_q(x), k = w_k(to), v = w_v(to);
    return {q, k, v};
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("w_q", w_q);
    v("w_k", w_k);
    v("w_v", w_v);
    v("w_o", w_o);
  }
};

}  // namespace xf
