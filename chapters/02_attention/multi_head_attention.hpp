#pragma once

#include "02_attention/attention.hpp"
#include "nn/linear.hpp"
#include "ops/attention/packed_attention.hpp"
#include "ops/heads/heads.hpp"

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

  // Keys and values, projected and split: (B, H, S, Dk) each.
  struct KeysValues {
    Tensor k, v;
  };
  //   x: (B, S, D)
  KeysValues keys_values(const Tensor& x) const {
    return {split_heads(w_k(x), heads), split_heads(w_v(x), heads)};
  }

  // Queries from x attend to given keys and values.
  //   x: (B, T, D)   mask: (B|1, T|1, S)   returns (B, T, D)
  // With `weights`, also stores the attention weights (B, H, T, S) there.
  Tensor attend(const Tensor& x, const KeysValues& memory, const Mask& mask,
                Tensor* weights = nullptr) const {
    const Tensor q = split_heads(w_q(x), heads);  // (B, H, T, Dk)
    const Attended heads_out = attention(q, memory.k, memory.v, mask, dropout_rate);
    if (weights) *weights = heads_out.weights;
    return w_o(merge_heads(heads_out.output));  // (B, T, D)
  }

  // Self-attention: query_from = keys_from. Cross attention: keys come from the encoder.
  //   query_from: (B, T, D)   keys_from: (B, S, D)   returns (B, T, D)
  // With a mask of packed sentences, (1, N, D) and (1, M, D), the weights are not kept.
  Tensor operator()(const Tensor& query_from, const Tensor& keys_from, const Mask& mask,
                    Tensor* weights = nullptr) const {
    if (const Packing* packing = mask.packing())
      return w_o(packed_attention(w_q(query_from), w_k(keys_from), w_v(keys_from), *packing, heads,
                                  dropout_rate));
    return attend(query_from, keys_values(keys_from), mask, weights);
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
