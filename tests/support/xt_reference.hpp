#pragma once

#include "tensor/tensor.hpp"

// The formulas of the ops, each in a few lines of xtensor (xt_reference.cpp). They are oracles:
// written for reading, from the equation, sharing nothing with the kernels.
namespace xf::xt_reference {

// One activation or binary op, element by element.
Tensor relu(const Tensor& x);
Tensor gelu(const Tensor& x);
Tensor silu(const Tensor& x);
Tensor add(const Tensor& a, const Tensor& b);       // (B, T, D) + (T, D)
Tensor multiply(const Tensor& a, const Tensor& b);  // (B, T, D) * (B, T, D)

Tensor matmul(const Tensor& a, const Tensor& b);                           // (M, K) (K, N)
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);  // (N, I) -> (N, O)
Tensor softmax(const Tensor& x, float scale);                              // (N, S)
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float eps);  // (N, D)
Tensor embedding(const Ids& ids, const Tensor& table);  // (B, T, D)
// The mean over the rows of -sum_v q_v log p_v.   logits: (N, V)
float cross_entropy(const Tensor& logits, const Ids& targets, float smoothing);
float symmetric_divergence(const Tensor& a, const Tensor& b);

Tensor split_heads(const Tensor& x, int heads);           // (B, T, H*Dk) -> (B, H, T, Dk)
Tensor transpose(const Tensor& x);                        // (B, M, N) -> (B, N, M)
Tensor concat_columns(const Tensor& a, const Tensor& b);  // (N, A) and (N, B) -> (N, A+B)
Tensor columns(const Tensor& x, int first, int count);    // (N, D) -> (N, count)
double sum(const Tensor& x);                              // (B, T, D)

// softmax(q k^T / sqrt(d_k)) v for one head.   q: (T, Dk)   k, v: (S, Dk)
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v);

}  // namespace xf::xt_reference
