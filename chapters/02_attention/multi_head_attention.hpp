#pragma once

#include "02_attention/attention.hpp"
#include "02_attention/key_value_cache.hpp"
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
  // The keys and values of x, which queries will look at.
  //   x: (B, S, D)   returns two of (B, H, S, Dk)
  KeysValues keys_values(const Tensor& x) const {
    const Tensor k = split_heads(w_k(x), heads);  // (B, H, S, Dk)
    const Tensor v = split_heads(w_v(x), heads);
    return {k, v};
  }

  // Queries from x attend to given keys and values.
  //   x: (B, T, D)   mask: (B|1, T|1, S)   returns (B, T, D)
  Tensor attend(const Tensor& x, const KeysValues& memory, const Mask& mask) const {
    const Tensor q = split_heads(w_q(x), heads);  // (B, H, T, Dk)
    const Tensor heads_out = attention(q, memory.k, memory.v, mask, dropout_rate);
    return w_o(merge_heads(heads_out));  // (B, T, D)
  }

  // Self-attention: query_from = keys_from. Cross attention: keys come from the encoder.
  //   query_from: (B, T, D)   keys_from: (B, S, D)   returns (B, T, D)
  // Packed sentences, (1, N, D) and (1, M, D), have an op that leaves out what is between them.
  Tensor operator()(const Tensor& query_from, const Tensor& keys_from, const Mask& mask) const {
    if (const Packing* packing = mask.packing()) {
      const Tensor q = w_q(query_from), k = w_k(keys_from), v = w_v(keys_from);
      return w_o(packed_attention(q, k, v, *packing, heads, dropout_rate));
    }
    return attend(query_from, keys_values(keys_from), mask);
  }

  // The rows of a cache for what is there from the start.   x: (B, S, D)
  KeyValueCache::Rows rows(const Tensor& x) const {
    return {GrowingRows(w_k(x)), GrowingRows(w_v(x))};
  }

  // Decoding: one query of each sentence attends to the rows that its sentence has in the cache.
  //   x: (B, 1, D)   returns (B, 1, D)
  Tensor attend(const Tensor& x, const KeyValueCache::Layer& cache) const {
    return w_o(attend_rows(w_q(x), cache.rows.k, cache.rows.v, cache.seen, heads));
  }

  // A step of self-attention: a new position of each sentence joins the cache, and attends to all
  // that its sentence has there. No mask is needed: the cache holds nothing but the past.
  //   x: (B, 1, D)   returns (B, 1, D)
  Tensor step(const Tensor& x, const KeyValueCache::Layer& cache) const {
    const auto [q, k, v] = outputs(x, w_q, w_k, w_v);  // (B, 1, D) each
    cache.rows.k.append(k);
    cache.rows.v.append(v);
    return w_o(attend_rows(q, cache.rows.k, cache.rows.v, cache.seen, heads));
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
