#pragma once

#include <vector>

#include "01_embedding/positional_encoding.hpp"
#include "08_transformer_xl/relative_attention.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/relative_shift/relative_shift.hpp"

namespace xf {

// The score of query i for key j, in four terms. The query is at position M + i of the keys
// [memory, segment], so that the distance is d = M + i - j.         Dai et al. 2019, 3.3
//   Z_ij = q_i . k_j            (a) content: what the query asks, what the key offers
//        + q_i . W_kR R_d       (b) which distance this query looks for
//        + u . k_j              (c) how much the key matters to any query
//        + v . W_kR R_d         (d) how much the distance matters to any query
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

// The same with the shift: S products W_kR R_d instead of T S, and everything else is a matrix
// product. The terms pair up, (a) + (c) = (q_i + u) . k_j and (b) + (d) = (q_i + v) . W_kR R_d;
// the second is computed for all distances and shifted to its keys. For j > M + i the result is
// garbage, which the mask must forbid (ops/relative_shift).         Dai et al. 2019, appendix B
// What RelativeAttention is tested against.
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

}  // namespace xf
