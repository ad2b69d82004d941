#pragma once

#include <cmath>
#include <vector>

#include "01_embedding/positional_encoding.hpp"
#include "nn/linear.hpp"
#include "ops/attention/attend_relative.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/heads/heads.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/relative_shift/relative_shift.hpp"
#include "ops/softmax/softmax.hpp"

namespace xf {

// The learned vectors of the global terms (c) and (d), one of each per head.
struct GlobalBiases {
  Tensor u, v;  // (H, Dk) each

  GlobalBiases(int d_model, int heads, Random& random)
      : u(normal({heads, d_model / heads}, 0.02, random)),
        v(normal({heads, d_model / heads}, 0.02, random)) {}

  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor("u", u);
    visitor("v", v);
  }
};

// The score of query i for key j, in four terms. The query is at position M + i of the keys
// [memory, segment], so that the distance is d = M + i - j.         Dai et al. 2019, 3.3
//   Z_ij = q_i . k_j            (a) content: what the query asks, what the key offers
//        + q_i . W_kR R_d       (b) which distance this query looks for
//        + u . k_j              (c) how much the key matters to anyone
//        + v . W_kR R_d         (d) how much the distance matters to anyone
struct RelativeTerms {
  Tensor a, b, c, d;  // (B, H, T, S) each, S = M + T; 0 for the future, j > M + i
  Tensor sum() const { return a + b + c + d; }
};

// By the definition: T S products W_kR R_d, each (D, D) by (D). Without gradients; the oracle of
// relative_scores() below, and what the lesson prints.
//   q: (B, H, T, Dk)   k: (B, H, S, Dk)   w_r: (D, D)
inline RelativeTerms relative_scores_by_definition(const Tensor& q, const Tensor& k,
                                                   const Tensor& w_r, const GlobalBiases& bias) {
  const int heads = q.size(1), t = q.size(2), s = k.size(2), d_k = q.size(3), m = s - t;
  const Shape shape{q.size(0), heads, t, s};
  RelativeTerms terms{Tensor::zeros(shape), Tensor::zeros(shape), Tensor::zeros(shape),
                      Tensor::zeros(shape)};
  const auto dot = [d_k](const float* x, const float* y) {
    float total = 0;
    for (int e = 0; e < d_k; ++e) total += x[e] * y[e];
    return total;
  };
  const Values qs = q.values(), ks = k.values(), u = bias.u.values(), v = bias.v.values();
  for (int i = 0; i < t; ++i)
    for (int j = 0; j <= m + i; ++j) {
      const Tensor r_d = sinusoidal_positions(1, w_r.size(1), m + i - j);  // (1, D)
      const Values p = linear(r_d, detach(w_r), {}).values();              // (1, D): W_kR R_d
      for (int n = 0; n < q.size(0) * heads; ++n) {                        // sentence and head
        const int head = (n % heads) * d_k;
        const float* q_i = qs.begin() + (std::ptrdiff_t(n) * t + i) * d_k;
        const float* k_j = ks.begin() + (std::ptrdiff_t(n) * s + j) * d_k;
        const std::ptrdiff_t ij = (std::ptrdiff_t(n) * t + i) * s + j;
        copy_into(terms.a, {dot(q_i, k_j)}, ij);
        copy_into(terms.b, {dot(q_i, p.begin() + head)}, ij);
        copy_into(terms.c, {dot(u.begin() + head, k_j)}, ij);
        copy_into(terms.d, {dot(v.begin() + head, p.begin() + head)}, ij);
      }
    }
  return terms;
}

// What asks for content, q_i + u, and what asks for a distance, q_i + v.
struct Queries {
  Tensor q_u, q_v;  // (B, H, T, Dk) each

  // q: (B, T, D), not yet split
  Queries(const Tensor& q, const GlobalBiases& bias)
      : q_u(split_heads(q + reshape(bias.u, {q.size(2)}), bias.u.size(0))),
        q_v(split_heads(q + reshape(bias.v, {q.size(2)}), bias.v.size(0))) {}
};

// The same by the shift: S products W_kR R_d instead of T S, and then everything is a matrix
// product. The terms pair up, (a) + (c) = (q_i + u) . k_j and (b) + (d) = (q_i + v) . W_kR R_d;
// the second is computed for all distances and shifted to its keys. For j > M + i the result is
// garbage, which the mask must forbid (ops/relative_shift).         Dai et al. 2019, appendix B
// The layers use attend_relative(), which goes on to the sum of the values in one piece; this is
// what it is tested against.
//   q: (B, T, D), not yet split   k: (B, H, S, Dk)   r: (1, H, S, Dk), W_kR R_{S-1} … W_kR R_0
//   returns (B, H, T, S)
inline Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r,
                              const GlobalBiases& bias) {
  const auto [q_u, q_v] = Queries(q, bias);  // (B, H, T, Dk) each
  const Tensor r_each = gather_rows(r, std::vector<int>(static_cast<std::size_t>(q.size(0)), 0));
  const Tensor content = matmul(q_u, k, Transpose::yes);        // (B, H, T, S) by key
  const Tensor position = matmul(q_v, r_each, Transpose::yes);  // (B, H, T, S) by distance
  return content + relative_shift(position);                    // (B, H, T, S) by key
}

// Multi-head attention with relative positions; queries from the segment, keys and values from
// [memory, segment]. As in the published code no projection has a bias: u takes its place.
struct RelativeAttention {
  int heads;
  float dropout_rate;              // of the weights
  Linear w_q, w_k, w_v, w_r, w_o;  // (D, D) each; w_k is the paper's W_kE, w_r its W_kR

  // Throws std::invalid_argument when `heads` does not divide d_model.
  RelativeAttention(int d_model, int head_count, float dropout, Random& random)
      : heads(head_count),
        dropout_rate(dropout),
        w_q(d_model, d_model, random, false),
        w_k(d_model, d_model, random, false),
        w_v(d_model, d_model, random, false),
        w_r(d_model, d_model, random, false),
        w_o(d_model, d_model, random, false) {
    if (head_count < 1 || d_model % head_count != 0)
      throw std::invalid_argument("relative_attention: " + std::to_string(head_count) +
                                  " heads do not divide d_model " + std::to_string(d_model));
  }

  // What does not depend on the queries, projected and split.
  struct Keys {
    Tensor k, v;  // (B, H, S, Dk)
    Tensor r;     // (1, H, R, Dk), R >= S: the last S rows count
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
  Tensor attend(const Tensor& x, const Keys& to, const GlobalBiases& bias, const Mask& mask) const {
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
