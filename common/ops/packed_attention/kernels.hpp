#pragma once

#include <cstddef>

#include "tensor/device.hpp"

namespace xf::kernel {

// One head of one sentence: `queries` rows of q, dq, y, dy and `keys` rows of k, v, dk, dv, each of
// d_k numbers, `stride` apart. Its weights and dweights have a row for each query, filled up to
// whole lines of the cache. With `causal`, query t sees the keys 0 ... t. The weights of other
// keys, and of those that only fill up, are 0.
struct Head {
  int queries, keys, d_k;
  std::ptrdiff_t stride;
  bool causal;

  int weight_stride() const { return (keys + 15) / 16 * 16; }
};

// weights = softmax(q k^T / sqrt(d_k)).
void head_weights(Cpu, const Head& head, const float* q, const float* k, float* weights);
// y = weights v.
void head_output(Cpu, const Head& head, const float* weights, const float* v, float* y);
// dweights = dy v^T,  dv = weights^T dy.
void head_output_backward(Cpu, const Head& head, const float* weights, const float* v,
                          const float* dy, float* dweights, float* dv);
// dq, dk from the gradient of the weights, which is overwritten.
void head_weights_backward(Cpu, const Head& head, const float* weights, const float* q,
                           const float* k, float* dweights, float* dq, float* dk);

}  // namespace xf::kernel
