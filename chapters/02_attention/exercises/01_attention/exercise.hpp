#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// y_ts = exp(x_ts) / sum_j exp(x_tj): each row sums to 1.   scores: (T, S)   returns (T, S)
xt::xtensor<float, 2> softmax_rows(const xt::xtensor<float, 2>& scores);

// Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V               Vaswani et al. 2017, eq. 1
//   q: (T, Dk)   k: (S, Dk)   v: (S, Dv)   returns (T, Dv)
xt::xtensor<float, 2> attention(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                const xt::xtensor<float, 2>& v);

}  // namespace xf::exercise
