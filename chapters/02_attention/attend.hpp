#pragma once

#include "02_attention/attention.hpp"
#include "ops/attention/packed_attention.hpp"
#include "ops/heads/heads.hpp"

namespace xf {

// The keys and values of S positions, with the heads side by side.
struct KeysValues {
  Tensor k, v;  // (B, S, D) each
};

struct AttendOptions {
  int heads = 1;
  Mask mask = {};     // (B|1, T|1, S), or for packed sentences
  float dropout = 0;  // on the weights, while a Training exists
};

// Attention in each head, the heads being columns of q, K and V: merge(attention(split(q),
// split(k), split(v))).
//   q: (B, T, D)   to: (B, S, D)   returns (B, T, D)
inline Tensor attend(const Tensor& q, const KeysValues& to, const AttendOptions& options) {
  const auto& [heads, mask, dropout] = options;
  if (const Packing* end_to_end = mask.packing())
    return packed_attention(q, to.k, to.v, *end_to_end, heads, dropout);
  const Tensor q_heads = split_heads(q, heads);     // (B, H, T, Dk)
  const Tensor k_heads = split_heads(to.k, heads);  // (B, H, S, Dk)
  const Tensor v_heads = split_heads(to.v, heads);
  return merge_heads(attention(q_heads, k_heads, v_heads, mask, dropout));
}

}  // namespace xf
