#pragma once

#include <cmath>

#include "autograd/recorder.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/softmax/softmax.hpp"

namespace xf {

// Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V               Vaswani et al. 2017, eq. 1
//   q: (B, H, T, Dk)   k, v: (B, H, S, Dk)   mask: (B|1, T|1, S), or none   returns (B, H, T, Dk)
// `dropout_rate` acts on the weights, during training only. Each row of weights sums to 1, or is 0
// where nothing may be attended to.
inline Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask = {},
                        float dropout_rate = 0) {
  const float root_dk = std::sqrt(static_cast<float>(q.size(-1)));
  const Tensor scores = matmul(q, k, Transpose::yes);                            // (B, H, T, S)
  const Tensor weights = softmax(scores, {.scale = 1 / root_dk, .mask = mask});  // (B, H, T, S)
  watch("scores", scores);
  watch("weights", weights);
  watch("values", v);
  watch("queries", q);
  watch("keys", k);
  return matmul(dropout(weights, dropout_rate), v);  // (B, H, T, Dk)
}

}  // namespace xf
