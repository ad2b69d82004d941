#pragma once

#include "tensor/tensor.hpp"

// The formulas of the ops, each in a few lines of xtensor (xt_reference.cpp). They are oracles:
// written for reading, from the equation, sharing nothing with the kernels.
namespace xf::xt_reference {

// One activation or binary op, element by element.
Tensor relu(const Tensor& x);
Tensor gelu(const Tensor& x);
Tensor gelu_tanh(const Tensor& x);
Tensor silu(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor add(const Tensor& a, const Tensor& b);               // (B, T, D) + (T, D)
Tensor multiply(const Tensor& a, const Tensor& b);          // (B, T, D) * (B, T, D)
Tensor scale_rows(const Tensor& x, const Tensor& factors);  // (N, D), a factor a row

Tensor matmul(const Tensor& a, const Tensor& b);                           // (M, K) (K, N)
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);  // (N, I) -> (N, O)
Tensor softmax(const Tensor& x, float scale);                              // (N, S)
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float eps);  // (N, D)
Tensor rms_norm(const Tensor& x, const Tensor& gamma, float eps);                        // (N, D)
// One head; pair i of row t times the matrix [cos -sin; sin cos] of `turns`.   x, turns: (T, Dk)
Tensor rotate(const Tensor& x, const Tensor& turns);
Tensor embedding(const Ids& ids, const Tensor& table);  // (B, T, D)
// The mean over the rows of -sum_v q_v log p_v.   logits: (N, V)
float cross_entropy(const Tensor& logits, const Ids& targets, float smoothing);
float symmetric_divergence(const Tensor& a, const Tensor& b);

Tensor split_heads(const Tensor& x, int heads);                 // (B, T, H*Dk) -> (B, H, T, Dk)
Tensor transpose(const Tensor& x);                              // (B, M, N) -> (B, N, M)
Tensor concat_columns(const Tensor& a, const Tensor& b);        // (N, A) and (N, B) -> (N, A+B)
Tensor columns(const Tensor& x, int first, int count);          // (N, D) -> (N, count)
Tensor rows(const Tensor& x, const std::vector<int>& numbers);  // (N, D) -> (numbers, D)
double sum(const Tensor& x);                                    // (B, T, D)

// Row i moves left by T-1-i; what is beyond its end comes from the row below, behind a zero.
Tensor relative_shift(const Tensor& x);  // (T, S)

// softmax(q k^T / sqrt(d_k)) v for one head.   q: (T, Dk)   k, v: (S, Dk)
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v);
// y_i = sum_j w_ij v_j over the keys j <= i + S - T, one head; w_i is the softmax of
//   scale (q_u_i . k_j + q_v_i . r_d),   d = i + S - T - j, whose row in r is the last but d
//   q_u, q_v: (T, Dk)   k, v: (S, Dk)   r: (R, Dk)
Tensor attend_relative(const Tensor& q_u, const Tensor& q_v, const Tensor& k, const Tensor& v,
                       const Tensor& r, float scale);

}  // namespace xf::xt_reference
