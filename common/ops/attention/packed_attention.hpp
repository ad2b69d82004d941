#pragma once

#include "autograd/tape.hpp"
#include "ops/mask.hpp"

namespace xf {

// Multi-head attention on packed sentences: there is no padding, and no weight between two
// sentences is computed. For each sentence and each head, with Dk = D / heads and the columns
// [h Dk, (h+1) Dk) of the sentence's rows Q (t, Dk), K (s, Dk), V (s, Dk):
//   P = softmax(Q K^T / sqrt(Dk)),  Y = dropout(P) V                  Vaswani et al. 2017, eq. 1
//   q: (1, N, D)   k, v: (1, M, D)   returns (1, N, D)
// backward, with P' = dropout(P) and r = sum over the keys of P dP:
//   dV = P'^T dY,  dP' = dY V^T,  dS = P (dP - r) / sqrt(Dk),  dQ = dS K,  dK = dS^T Q
// A recorder gets the weights P as (1, H, N, M), with 0 between sentences.
// It equals split_heads(), attention() with the block mask, and merge_heads(), except for rounding
// and for which weights are dropped. Throws std::invalid_argument if the sizes do not fit, there
// are 2^31 weights or more in all, or the rate is not in [0, 1).
Tensor packed_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Packing& packing,
                        int heads, float dropout_rate = 0);

}  // namespace xf
