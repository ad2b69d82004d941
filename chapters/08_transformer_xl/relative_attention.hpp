#pragma once

#include <cmath>

#include "nn/linear.hpp"
#include "ops/attention/attend_relative.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/heads/heads.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf {

// The learned vectors of the global terms (c) and (d), one of each per head.
struct GlobalBiases {
  Tensor u, v;  // (H, Dk) each

  // width: D, of all heads together
  GlobalBiases(int width, int heads, Random& random)
      : u(normal({heads, width / heads}, 0.02, random)),
        v(normal({heads, width / heads}, 0.02, random)) {}

  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor("u", u);
    visitor("v", v);
  }
};

// The queries for content, q_i + u, and for distance, q_i + v.
struct Queries {
  Tensor q_u, q_v;  // (B, H, T, Dk) each

  // q: (B, T, D), not yet split
  Queries(const Tensor& q, const GlobalBiases& bias)
      : q_u(split_heads(q + reshape(bias.u, {q.size(2)}), bias.u.size(0))),
        q_v(split_heads(q + reshape(bias.v, {q.size(2)}), bias.v.size(0))) {}
};

// Multi-head attention with relative positions:
//   Z_ij = q_i . k_j + q_i . W_kR R_d + u . k_j + v . W_kR R_d,   d = M + i - j
//        = (q_i + u) . k_j + (q_i + v) . W_kR R_d                       Dai et al. 2019, 3.3
// (equations.hpp has it term by term). The second product is computed for all distances and shifted
// to its keys; attend_relative() does all of it, up to the sum of the values, in one pass.
// Queries come from the segment, keys and values from [memory, segment]. As in the published code
// no projection has a bias: u takes its place. H Dk is usually D, but there it may differ.
struct RelativeAttention {
  int heads;
  float dropout_rate;              // of the weights
  Linear w_q, w_k, w_v, w_r, w_o;  // (D, D) each; w_k is the paper's W_kE, w_r its W_kR

  RelativeAttention(int d_model, int head_count, float dropout, Random& random)
      : RelativeAttention(d_model, d_model, head_count, dropout, random) {}
  // Heads with a width other than D / H: `width` is H Dk, w_o is (D, H Dk), the others (H Dk, D).
  // Throws std::invalid_argument when `heads` does not divide the width.
  RelativeAttention(int d_model, int width, int head_count, float dropout, Random& random)
      : heads(head_count),
        dropout_rate(dropout),
        w_q(d_model, width, random, false),
        w_k(d_model, width, random, false),
        w_v(d_model, width, random, false),
        w_r(d_model, width, random, false),
        w_o(width, d_model, random, false) {
    if (head_count < 1 || width % head_count != 0)
      throw std::invalid_argument("relative_attention: " + std::to_string(head_count) +
                                  " heads do not divide d_model " + std::to_string(width));
  }

  // Everything that does not depend on the queries, projected and split.
  struct Keys {
    Tensor k, v;  // (B, H, S, Dk)
    Tensor r;     // (1, H, R, Dk), R >= S: only the last S rows are used
  };
  //   context: (B, S, D), memory and segment   positions: (S, D), R_{S-1} ... R_0
  Keys keys(const Tensor& context, const Tensor& positions) const {
    return {key(context), value(context), distances(positions)};
  }
  Tensor key(const Tensor& context) const { return split_heads(w_k(context), heads); }
  Tensor value(const Tensor& context) const { return split_heads(w_v(context), heads); }
  // W_kR R.   positions: (S, D)   returns (1, H, S, Dk)
  Tensor distances(const Tensor& positions) const {
    const Tensor one = reshape(positions, {1, positions.size(0), positions.size(1)});  // (1, S, D)
    return split_heads(w_r(one), heads);
  }

  //   x: (B, T, D)   mask: (1, T, S)   returns (B, T, D)
  Tensor operator()(const Tensor& x, const Keys& to, const GlobalBiases& bias,
                    const Mask& mask) const {
    const float root_dk = std::sqrt(static_cast<float>(to.k.size(-1)));
    const auto [q_u, q_v] = Queries(w_q(x), bias);  // (B, H, T, Dk)
    const RelativeAttentionOptions options{
        .scale = 1 / root_dk, .mask = mask, .dropout = dropout_rate};
    const Tensor y = attend_relative(q_u, q_v, to.k, to.v, to.r, options);  // (B, H, T, Dk)
    return w_o(merge_heads(y));                                             // (B, T, D)
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("w_q", w_q);
    v("w_k", w_k);
    v("w_v", w_v);
    v("w_r", w_r);
    v("w_o", w_o);
  }
};

}  // namespace xf
